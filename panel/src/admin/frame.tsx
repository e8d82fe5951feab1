import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { createClient } from '../api/berth.ts';
import { inBackground } from '../background.ts';
import { follow } from '../live/follow.ts';
import { createUpdates, followed } from './updates.ts';

/** Around the pages about the installation, which follow the events of nodes and of all projects. */
export function Administration() {
  const queries = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const { take, readAll, end } = createUpdates(queries);
    const follower = {
      onEvent: take,
      onConnected: (mayHaveMissed: boolean) => mayHaveMissed && readAll(),
      // The stream of the project says that the connection was lost.
      onLost: () => undefined,
    };
    const connect: Parameters<typeof follow>[0] = (options) =>
      createClient({ ...options, isAboutAll: true });
    inBackground(follow(connect, follower, stop.signal, { type: [...followed] }));
    return () => {
      stop.abort();
      end();
    };
  }, [queries]);
  return <Outlet />;
}
