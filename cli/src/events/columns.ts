import type { Event } from '@berth/client';
import { columnsOf, referring } from '../output/columns.ts';
import { bytes, utc } from '../output/values.ts';

export const eventColumns = columnsOf<Event>(
  {
    id: (event) => event.id,
    at: { of: (event) => event.at, text: ({ at }) => utc(at) },
    type: (event) => event.type,
    project_id: referring('project', (event) => event.project_id),
    server_id: (event) => event.server_id,
    about: (event) => about(event),
    data: ({ data }) => JSON.stringify(data),
  },
  ['id', 'at', 'type', 'server_id', 'about'],
  ({ id }) => String(id),
);

/** What the event is about, in words. */
export function about({ data }: Event): string {
  if ('server' in data) {
    const { hostname, error } = data.server;
    const changed = 'changed' in data ? `: ${data.changed.join(', ')}` : '';
    return `${hostname}${changed}${error === null ? '' : `: ${error}`}`;
  }
  if ('operation' in data) {
    const { id, kind, status, message } = data.operation;
    return `${kind} (operation ${id}) ${status}: ${message}`;
  }
  if ('node' in data) return data.node.name;
  if ('webhook' in data) return `${data.webhook.name}: ${data.webhook.paused_because}`;
  const { percent, allowance, month } = data;
  return `${percent} % of ${allowance === null ? 'the allowance' : bytes(allowance)} in ${month}`;
}
