import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { inBackground } from '../background.ts';

/** A busy machine may never have nothing to do while something on the page moves. */
const mostMs = 1000;
/** What somebody has done meanwhile comes first. */
const pauseMs = 50;

const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** Safari does not say yet when it is idle. */
const idle = () =>
  'requestIdleCallback' in window
    ? new Promise((resolve) => requestIdleCallback(resolve, { timeout: mostMs }))
    : pause();

/** Resolves when nothing is being read and the browser has nothing else to do, such as to paint what was read, or soon. */
async function untilIdle(queries: QueryClient): Promise<void> {
  const end = performance.now() + mostMs;
  do {
    await idle();
    await pause();
  } while (queries.isFetching() > 0 && performance.now() < end);
}

/** Whether that has been so since the component was shown, and what it waited for first was there. */
export function useIdle(isReady = true): boolean {
  const queries = useQueryClient();
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    if (isReady) inBackground(untilIdle(queries).then(() => setIdle(true)));
  }, [isReady, queries]);
  return isIdle;
}
