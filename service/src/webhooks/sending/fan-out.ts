import type { EventType } from '@berth/contract/events';
import { maxId } from '@berth/contract/values';
import type { Db, Trx } from '../../db/connection.ts';
import { eventsAtOnce, eventsIn } from '../../events/feed-queries.ts';
import { matches } from '../../events/matches.ts';
import type { EventRow } from '../../events/queries.ts';
import { parseSelector } from '../../labels/selector.ts';
import { messageIdOf } from './message.ts';
import {
  findSubscribers,
  insertDeliveries,
  lockProgress,
  type Planned,
  type Subscriber,
  setProgress,
} from './plan-queries.ts';

/**
 * Makes deliveries of the events that have none yet, in parts. Since events become visible in the order of their ids, none
 * is left out, and each becomes a delivery for a webhook once. Returns the number of events and of deliveries.
 */
export async function fanOut(
  db: Db,
  signal?: AbortSignal,
): Promise<{ events: number; deliveries: number }> {
  const done = { events: 0, deliveries: 0 };
  let part: { events: number; deliveries: number };
  do {
    part = await db.transaction().execute(fanOutSome);
    done.events += part.events;
    done.deliveries += part.deliveries;
  } while (part.events === eventsAtOnce && !signal?.aborted);
  return done;
}

async function fanOutSome(trx: Trx): Promise<{ events: number; deliveries: number }> {
  const position = await lockProgress(trx);
  const events =
    position === undefined ? [] : await eventsIn(trx, { after: position, until: maxId });
  const last = events.at(-1);
  if (!last) return { events: 0, deliveries: 0 };
  const projects = new Set(events.flatMap(({ project_id }) => project_id ?? []));
  const subscribers = projects.size > 0 ? await findSubscribers(trx, [...projects]) : [];
  const planned = plan(events, subscribers);
  if (planned.length > 0) await insertDeliveries(trx, planned);
  await setProgress(trx, last.id);
  return { events: events.length, deliveries: planned.length };
}

/** The deliveries of events, in their order. */
export function plan(events: readonly EventRow[], subscribers: readonly Subscriber[]): Planned[] {
  const ofProjects = Map.groupBy(subscribers.map(withFilters), ({ project_id }) => project_id);
  return events.flatMap((event) => {
    const { id: event_id, project_id, type } = event;
    if (project_id === null) return [];
    const wanting = (ofProjects.get(project_id) ?? []).filter(({ filters }) =>
      matches(event, filters, { all: false, id: project_id }),
    );
    const message_id = messageIdOf(event);
    return wanting.map(({ id }) => ({ project_id, webhook_id: id, event_id, type, message_id }));
  });
}

function withFilters({ id, project_id, types, label_selector: text }: Subscriber) {
  const filters = {
    ...(types.length > 0 && { type: types as EventType[] }),
    ...(text.trim() && { selector: parseSelector(text) }),
  };
  return { id, project_id, filters };
}
