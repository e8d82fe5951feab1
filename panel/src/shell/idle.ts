import { useEffect, useState } from 'react';
import { inBackground } from '../background.ts';

/** A busy machine may never have nothing to do while something on the page moves. */
const timeout = 500;

/** Resolves when the browser has nothing else to do, such as to paint what was just read, or soon. */
export function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout });
    // Safari does not have it yet.
    else setTimeout(resolve, timeout);
  });
}

/** Whether that has been so since the component was shown. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    inBackground(untilIdle().then(() => setIdle(true)));
  }, []);
  return isIdle;
}
