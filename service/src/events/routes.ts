import { Event, EventQuery, eventExamples } from '@berth/contract/events';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { listedRows, readsAnyProject } from '../callers/every-project.ts';
import { selectorOfList } from '../labels/labels.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import { preferredType } from '../requests/accept.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import type { EventFeed } from './feed.ts';
import { allKeptEvents } from './move.ts';
import { type EventFilters, type KeptEvents, listEvents } from './queries.ts';
import { sendEvents } from './stream.ts';
import { eventView } from './view.ts';

/** The dependencies of the routes of events. */
export interface EventDeps extends Deps {
  events: EventFeed;
}

const json = 'application/json';
const stream = 'text/event-stream';
const longestId = 16;

export function eventRoutes(app: App, { db, events: feed }: EventDeps): void {
  app.get(
    '/events',
    {
      config: { scope: 'servers:read', produces: [json, stream], problems: ['events_gone'] },
      schema: {
        operationId: 'event_list',
        summary: 'Stream or list events',
        description:
          'Returns changes of servers, operations and nodes as events: as a stream of server-sent events that does not end, ' +
          'or as a list. It is a list if the request has `after`, `limit` or `cursor`, and a stream otherwise, unless `Accept` ' +
          'names one of `text/event-stream` and `application/json`. A stream begins with the next event, or after the one in ' +
          'the header `Last-Event-ID`, which an `EventSource` sends when it connects again. Each event has its `id`, its ' +
          '`event`, which is its `type`, and its `data`, which is the object of the list. `id` is also sent without `data`, ' +
          'with each heartbeat. Events are kept for 30 days. Administrators get the events of all projects, and those of ' +
          'nodes, unless the request names a project. `docs/events.md` has more.',
        tags: ['Events'],
        querystring: EventQuery,
        response: {
          200: {
            description: 'A list of events, or a stream whose `data` are events.',
            content: {
              [json]: { schema: Type.Array(Event) },
              [stream]: {
                schema: Type.String({
                  description: 'Server-sent events. `data` of each is an `Event`.',
                  examples: [
                    `id: 1024\nevent: server.started\ndata: ${JSON.stringify(eventExamples['server.started'])}\n\n`,
                  ],
                }),
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const filters = filtersOf(query);
      const rows = listedRows(request, db, { ...query, all_projects: readsAnyProject(request) });
      if (!wantsStream(request)) {
        const page = readPage(request);
        const kept = await allKeptEvents(db);
        const given = page.after?.id ?? query.after ?? 0;
        // All events are after 0, so that somebody who asks for them gets those that there are.
        if (given > 0) requireKept(given, kept);
        const after = Math.max(query.after ?? 0, kept.goneUntil);
        const events = listEvents(rows, filters, { after, until: kept.last });
        reply.header('Last-Event-ID', String(kept.last));
        return sendList(request, reply, page, events, eventView);
      }
      requireNoPage(query);
      const kept = await feed.kept();
      const resumed = lastEventId(request);
      const given = resumed ?? query.after;
      if (resumed !== undefined || given) requireKept(given ?? 0, kept);
      const after = given === 0 ? kept.goneUntil : given;
      await request.server.streams.takeEndless(request, reply);
      await sendEvents(request, reply, { feed, rows, filters, after });
      return reply;
    },
  );
  // Streams would delay the end of the server.
  app.addHook('preClose', async () => feed.stop());
}

function filtersOf({
  type,
  server_id,
  project_id,
  label_selector: text,
}: EventQuery): EventFilters {
  const selector = selectorOfList(text);
  return { type, server_id, project_id, ...(selector && { selector }) };
}

/** Somebody who pages wants a list, and others a stream, unless they say what they want. */
function wantsStream(request: FastifyRequest): boolean {
  const { after, limit, cursor } = request.query as EventQuery;
  const isPaged = after !== undefined || limit !== undefined || cursor !== undefined;
  const types = isPaged ? [json, stream] : [stream, json];
  // A HEAD has no body that could be streamed.
  return request.method !== 'HEAD' && preferredType(request, types) === stream;
}

function requireNoPage({ limit, cursor }: EventQuery): void {
  const given = Object.entries({ limit, cursor }).filter(([, value]) => value !== undefined);
  const detail = 'Applies only to a list. Omit it, or send "Accept: application/json".';
  if (given.length > 0) throw invalidFields(given.map(([parameter]) => ({ parameter, detail })));
}

/** A browser that has received no id sends none. */
function lastEventId({ headers }: FastifyRequest): number | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (typeof id === 'string' && /^\d+$/.test(id) && id.length < longestId) return Number(id);
  throw new Problem('malformed_request', 'Last-Event-ID must be the id of an event.');
}

const afresh = 'List the objects again, and follow without Last-Event-ID or `after`.';

/** Throws `events_gone` (410) if events after this one may be missing. */
function requireKept(after: number, { goneUntil, last }: KeptEvents): void {
  const detail =
    after < goneUntil
      ? `Events up to ${goneUntil} are no longer kept, so that some after ${after} would be missing.`
      : `The ID ${after} is higher than that of the latest event. The database may have been restored from a backup.`;
  if (after < goneUntil || after > last) throw new Problem('events_gone', `${detail} ${afresh}`);
}
