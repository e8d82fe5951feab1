import { useQuery } from '@tanstack/react-query';
import { locationsQuery } from '../../api/queries.ts';
import { inBackground } from '../../background.ts';
import { useOwnProject } from '../../session/own-project.ts';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Page } from '../../shell/page.tsx';
import type { Values } from './form.ts';
import { NewServer } from './new-server.tsx';
import { sizesQuery, systemsQuery } from './queries.ts';

const nothing: Values = {
  ...{ name: '', location_id: '', os_id: '', size: '' },
  ...{ cpu: 1, ram: 1024, disk: 10, ssh_keys: [], password_login: true, password: '' },
  ...{ initialCommands: [], user_data: '', labels: '' },
};

export function NewServerPage() {
  return (
    <Page title="New server">
      <Choices />
    </Page>
  );
}

/** Reads what has to be chosen from, and chooses the first of each. */
function Choices() {
  const locations = useQuery(locationsQuery);
  const systems = useQuery(systemsQuery);
  const sizes = useQuery(sizesQuery);
  const project = useOwnProject();
  const all = [locations, systems, sizes, project];
  const error = all.find((one) => one.error && !one.data)?.error;
  if (error) {
    const retry = () => inBackground(Promise.all(all.map((one) => one.refetch())));
    return <Failure title="The form cannot be shown" error={error} retry={retry} />;
  }
  // Sizes and the project decide which choice of a size is the first.
  if (!locations.data || !systems.data || sizes.isLoading || project.isLoading) return <Loading />;
  const location = locations.data.find(({ enabled }) => enabled);
  const system = systems.data.find(({ id }) => location?.os_ids?.includes(id) ?? true);
  return (
    <NewServer
      initial={{
        ...nothing,
        location_id: String(location?.id ?? ''),
        os_id: String(system?.id ?? ''),
      }}
    />
  );
}
