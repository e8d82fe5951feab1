import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { inBackground } from '../background.ts';

/** A busy machine may never have nothing to do while something on the page moves. */
const mostMs = 1000;
/** For browsers that do not say when they are idle. Safari does not yet. */
const pauseMs = 50;

const idle = () =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: mostMs });
    else setTimeout(resolve, pauseMs);
  });

/** Resolves when nothing is being read and the browser has nothing else to do, such as to paint what was read, or soon. */
async function untilIdle(queries: QueryClient): Promise<void> {
  const end = performance.now() + mostMs;
  do await idle();
  while (queries.isFetching() > 0 && performance.now() < end);
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
