import { useEffect, useState } from 'react';
import { ago, local, utc } from '../format/times.ts';

const everyMs = 30_000;

/** A time in the zone of the viewer, with UTC on hover. */
export function Time({ at, relative = false }: { at: string; relative?: boolean }) {
  const now = useNow(relative);
  const title = relative ? `${local(at)} (${utc(at)})` : utc(at);
  return (
    <time dateTime={at} title={title}>
      {relative ? ago(at, now) : local(at)}
    </time>
  );
}

function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isNeeded) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return Math.max(now, Date.now());
}
