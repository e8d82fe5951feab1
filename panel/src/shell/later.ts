import type { AsyncRouteComponent } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useReducer, useState } from 'react';
import { ExplainedError, notLoaded } from '../api/words.ts';
import { inBackground } from '../background.ts';
import { sayFailed } from '../servers/actions/toasts.tsx';
import { useIdle } from './idle.ts';

const retryMs = 10_000;

/** Once a part was loaded, it has nothing to load. One that could not be loaded can be loaded again. */
// biome-ignore lint/suspicious/noExplicitAny: the parts have different properties.
type Part = AsyncRouteComponent<any>;
const isThere = ({ preload }: Part) => preload === undefined;

/** Loads a part, and calls `tried` when it is there or could not be loaded. */
const load = (part: Part, tried: () => void) =>
  inBackground(Promise.resolve(part.preload?.()).then(tried));

/** Loads a part that no page waits for as soon as the browser is idle. Returns whether it can be shown. */
export function useWhenIdle(part: Part): boolean {
  const isIdle = useIdle();
  const [tries, countTry] = useReducer((before: number) => before + 1, 0);
  useEffect(() => {
    if (!isIdle || isThere(part)) return;
    // The network may be lost for a while.
    const timer = setTimeout(() => load(part, countTry), tries === 0 ? 0 : retryMs);
    return () => clearTimeout(timer);
  }, [isIdle, tries, part]);
  return isThere(part);
}

/**
 * Loads a part when somebody asks for it. If that fails, says so and calls `giveUp`. Returns whether it can be shown: from
 * when it was first asked for.
 */
export function useWhenAsked(part: Part, isAsked: boolean, giveUp: () => void): boolean {
  const [wasAsked, note] = useState(false);
  if (isAsked && !wasAsked) note(true);
  const [, countTry] = useReducer((before: number) => before + 1, 0);
  const failed = useEffectEvent(() => {
    sayFailed('Nothing was done', new ExplainedError(notLoaded));
    giveUp();
  });
  useEffect(() => {
    if (!isAsked || isThere(part)) return;
    load(part, () => (isThere(part) ? countTry() : failed()));
  }, [isAsked, part]);
  return wasAsked && isThere(part);
}

/** Whether a dialog or a menu is open: after its first drawing, since it gives the focus back to what has it then. */
export function useOpened(isWanted: boolean) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(isWanted), [isWanted]);
  return isOpen;
}
