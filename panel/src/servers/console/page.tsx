import { Alert, Anchor, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { isMissing } from '../../api/words.ts';
import { inBackground } from '../../background.ts';
import type { Server } from '../../live/apply.ts';
import { useActivity } from '../../live/live.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { useTitle } from '../../shell/title.ts';
import { ActionButtons } from '../actions/buttons.tsx';
import { NoSuchServer } from '../one/missing.tsx';
import { serverQuery } from '../one/queries.ts';
import classes from './console.module.css';

const route = getRouteApi('/signed-in/servers/$id/console');

// Only this page needs a terminal, which is large.
const ServerConsole = lazy(() => import('./console.tsx'));

/** What the guest of a server shows on its own terminal. */
export function ConsolePage() {
  const id = Number(route.useParams().id);
  const { data: server, error, refetch } = useQuery(serverQuery(id));
  useTitle(server ? `Console of ${server.hostname}` : 'Console');
  if (isMissing(error)) return <NoSuchServer />;
  if (error && !server) {
    return (
      <Failure
        title="The server cannot be shown"
        error={error}
        retry={() => inBackground(refetch())}
      />
    );
  }
  return server ? <PageOf key={server.id} server={server} /> : <Loading />;
}

function PageOf({ server }: { server: Server }) {
  const { id, hostname, status, suspension } = server;
  const activity = useActivity(id);
  const isRunning = status === 'started' && !suspension;
  // What a server has printed stays when it stops.
  const [wasRunning, setWasRunning] = useState(isRunning);
  if (isRunning && !wasRunning) setWasRunning(true);
  return (
    <div className={classes.page}>
      <Group gap="xs" justify="space-between">
        <Title order={1} size="h3" className="breaks">
          Console of{' '}
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => (
              <Link to="/servers/$id" params={{ id: String(id) }} {...props} />
            )}
          >
            {hostname}
          </Anchor>
        </Title>
      </Group>
      {!isRunning && <NotRunning server={server} message={activity?.message} />}
      {wasRunning && (
        <Suspense fallback={<Loading />}>
          <ServerConsole server={server} isReady={isRunning && !activity} />
        </Suspense>
      )}
    </div>
  );
}

/** Why there is no console now, and what to do about it. */
function NotRunning({ server, message }: { server: Server; message: string | undefined }) {
  const { status, suspension } = server;
  const why = suspension
    ? `An administrator suspended the server: ${suspension.reason}`
    : (message ?? `The state of the server is "${status}".`);
  return (
    <Alert color="gray" variant="outline" p="xs">
      <Group gap="sm">
        <Text size="sm">A server has a console while it is running. {why}</Text>
        <ActionButtons servers={[server]} />
      </Group>
    </Alert>
  );
}
