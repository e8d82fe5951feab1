import { Stack, Text } from '@mantine/core';
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
  return (
    // The forms of another server begin anew.
    <Stack gap="md" key={server.id}>
      <NameForm server={server} />
      <ResizeForm server={server} />
      <PasswordForm server={server} />
      <LabelsForm server={server} />
      <NotesForm server={server} />
      <Protection server={server} />
      {session.user.is_admin && <Suspension server={server} />}
      <DangerZone server={server} />
    </Stack>
  );
}
