import type { Event } from '@berth/contract/events';
import type { EventRow } from './queries.ts';

/** An event as the API shows it. */
export function eventView({ id, type, at, project_id, server_id, data, labels }: EventRow): Event {
  return { id, type, at, project_id, server_id, data: withLabels(data, labels) };
}

/** The labels are stored once, where selectors find them. */
function withLabels(data: EventRow['data'], labels: EventRow['labels']): Event['data'] {
  const { server } = data;
  return server === undefined ? data : { ...data, server: { ...server, labels } };
}

/** An event in a stream of server-sent events (HTML Living Standard, section 9.2). */
export function eventText(row: EventRow): string {
  return `id: ${row.id}\nevent: ${row.type}\ndata: ${JSON.stringify(eventView(row))}\n\n`;
}
