import type { Event } from '@berth/client';

export interface Folded {
  event: Event;
  /** What was said earlier of the progress of its operation, the latest first. */
  earlier: readonly Event[];
}

const progressing = (event: Event): number | undefined =>
  event.type === 'operation.progress' ? event.data.operation.id : undefined;

/**
 * The events, with all that was said of the progress of an operation as one: where the last of it is. Others stay as they
 * are. The latest is first, as it is in `events`.
 */
export function foldProgress(events: readonly Event[]): Folded[] {
  const ofOperation = Map.groupBy(events, progressing);
  return events.flatMap((event) => {
    const operation = progressing(event);
    if (operation === undefined) return [{ event, earlier: [] }];
    const [last, ...earlier] = ofOperation.get(operation) ?? [];
    return event === last ? [{ event, earlier }] : [];
  });
}
