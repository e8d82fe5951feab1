import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { createClient } from '../api/berth.ts';
import { isSignedOut } from '../api/words.ts';
import { inBackground } from '../background.ts';
import { sessionQuery } from '../session/session.ts';
import type { Activities, Activity } from './apply.ts';
import { follow } from './follow.ts';
import { createUpdates } from './updates.ts';

interface Live {
  activities: Activities;
  /** Whether events arrive. */
  isConnected: boolean;
}

const LiveContext = createContext<Live>({ activities: new Map(), isConnected: true });

/** Shorter interruptions are not worth mentioning. */
const graceMs = 3000;

/** Follows the events of a project, and keeps what was read in line with them: one stream for the whole page. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [activities, setActivities] = useState<Activities>(new Map());
  const [isConnected, setConnected] = useState(true);

  useEffect(() => {
    const stop = new AbortController();
    const updates = createUpdates(queries, setActivities);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onConnected = (mayHaveMissed: boolean) => {
      clearTimeout(timer);
      timer = undefined;
      setConnected(true);
      if (mayHaveMissed) updates.readAll();
    };
    const onLost = (error?: unknown) => {
      if (isSignedOut(error)) inBackground(queries.invalidateQueries(sessionQuery));
      timer ??= setTimeout(() => setConnected(false), graceMs);
    };
    inBackground(follow(createClient, { onEvent: updates.take, onConnected, onLost }, stop.signal));
    return () => {
      stop.abort();
      clearTimeout(timer);
      updates.stop();
    };
  }, [queries]);

  return <LiveContext value={{ activities, isConnected }}>{children}</LiveContext>;
}

export const useIsConnected = (): boolean => useContext(LiveContext).isConnected;

/** The operation in progress of a server. */
export function useActivity(serverId: number): Activity | undefined {
  return useContext(LiveContext).activities.get(serverId);
}
