import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { disk, memory } from '../../format/units.ts';
import { sayFailed } from '../../servers/actions/toasts.tsx';
import { List } from '../../shell/list.tsx';
import { Page } from '../../shell/page.tsx';
import { AddLink, OneLink } from '../links.tsx';
import { allSystemsQuery, type OperatingSystem } from './queries.ts';

/** What servers can run. */
export function SystemsPage() {
  const query = useQuery(allSystemsQuery);
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: ({ id, enabled }: OperatingSystem) =>
      berth.PATCH('/v1/operating-systems/{id}', {
        params: { path: { id } },
        body: { enabled: !enabled },
      }),
    onError: (error) => sayFailed('The operating system was not changed', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['operating-systems'] }),
  });
  const add = <AddLink to="/admin/operating-systems/new">Add an operating system</AddLink>;
  return (
    <Page title="Operating systems" action={add}>
      <List
        name="operating systems"
        query={query}
        columns={[
          {
            name: 'Name',
            show: ({ id, name, version }) => (
              <OneLink to="/admin/operating-systems/$id" id={id}>
                {name} {version}
              </OneLink>
            ),
          },
          { name: 'Slug', show: ({ slug }) => slug },
          {
            name: 'Needs at least',
            show: ({ minimum }) => `${memory(minimum.ram)} · ${disk(minimum.disk)}`,
          },
          { name: 'Architecture', show: ({ architecture }) => architecture },
          { name: 'State', show: ({ enabled }) => (enabled ? 'in use' : 'not for new servers') },
        ]}
        actions={(system) => (
          <Button
            variant="subtle"
            size="xs"
            loading={changing.isPending && changing.variables.id === system.id}
            onClick={() => changing.mutate(system)}
          >
            {system.enabled ? 'Disable' : 'Enable'}
            <span className="sr-only"> {system.slug}</span>
          </Button>
        )}
      />
    </Page>
  );
}
