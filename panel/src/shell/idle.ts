import { useEffect, useState } from 'react';
import { inBackground } from '../background.ts';

/** Resolves when the browser has nothing else to do, such as to paint what was just read. */
export function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari does not have it yet.
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve());
    else setTimeout(resolve, 200);
  });
}

/** Whether the browser has had nothing else to do since the component was shown. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    inBackground(untilIdle().then(() => setIdle(true)));
  }, []);
  return isIdle;
}
