import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMayChange } from '../../../session/may-change.ts';
import { sessionQuery } from '../../../session/session.ts';
import { Empty } from '../../../shell/messages.tsx';
import { serverQuery } from '../queries.ts';
import { DangerZone } from './danger/zone.tsx';
import { LabelsForm } from './labels/form.tsx';
import { NameForm } from './name.tsx';
import { NotesForm } from './notes.tsx';
import { PasswordForm } from './password.tsx';
import { Protection } from './protection.tsx';
import { ResizeForm } from './resize/form.tsx';
import { Sections } from './sections.tsx';
import { Suspension } from './suspension.tsx';

const route = getRouteApi('/signed-in/servers/$id');

/** What can be changed about a server. */
export function ServerSettings() {
  const { data: server } = useQuery(serverQuery(Number(route.useParams().id)));
  const { data: session } = useQuery(sessionQuery);
  const isAllowed = useMayChange();
  if (!server || !session) return null;
  if (!isAllowed) {
    return (
      <Empty title="You can only look at this server">
        <Text>Members and owners of its project can change it.</Text>
      </Empty>
    );
  }
  const suspension = { name: 'Suspension', form: <Suspension server={server} /> };
  const sections = [
    { name: 'Name', form: <NameForm server={server} /> },
    { name: 'Size', form: <ResizeForm server={server} /> },
    { name: 'Root password', form: <PasswordForm server={server} /> },
    { name: 'Labels', form: <LabelsForm server={server} /> },
    { name: 'Notes', form: <NotesForm server={server} /> },
    { name: 'Protection', form: <Protection server={server} /> },
    ...(session.user.is_admin ? [suspension] : []),
    { name: 'Danger zone', form: <DangerZone server={server} /> },
  ];
  // The forms of another server begin anew.
  return <Sections key={server.id} sections={sections} />;
}
