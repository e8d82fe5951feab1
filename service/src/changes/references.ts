import { type NamedNoun, type Noun, nouns, wordsOf } from '@berth/contract/nouns';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../access/authentication.ts';
import type { Caller, Deps } from '../callers/app-types.ts';
import { referableRows } from '../callers/every-project.ts';
import type { Db } from '../db/connection.ts';
import type { ProjectRows } from '../db/project.ts';
import { isSafe } from '../lib/methods.ts';
import { type FieldError, invalidFields, Problem, type ProblemCode } from '../problems/problem.ts';
import { shownName } from '../problems/shown-text.ts';
import { keepAsSent } from '../requests/as-sent.ts';
import { isUuid, readId, readName } from '../requests/path-id.ts';
import { type Place, placesOf, valuesAt } from '../requests/reference-places.ts';
import { markAudited } from './audit-marks.ts';
import { earlierAnswer, sendAnswer } from './idempotency.ts';

/** One of several things with the same name, and what distinguishes it. */
export interface Candidate {
  id: number;
  name: string;
  uuid?: string;
  location?: string;
}

/**
 * Where references are looked up: by id among what the caller may read, by name in the caller's
 * project.
 */
export interface ReferenceScope {
  db: Db;
  caller: Caller;
  /** The rows of any project for administrators who named none, or asked for all. */
  readable: ProjectRows;
  /** The id that begins the path, such as that of the project whose member is meant. */
  pathId: number | undefined;
}

/** How references to one noun are looked up. */
export interface Lookup {
  /** The noun in errors, as in "No server is called web-1."; defaults to its usual name. */
  words?: string;
  /** How errors say what has a name; defaults to "is called". */
  isCalled?: string;
  /** The request that lists all of them, for errors. */
  list?: string;
  /** Finds things by name. Undefined if the noun has only ids. */
  named?: (asker: ReferenceScope, name: string) => Promise<Candidate[]>;
  /** Finds things by UUID. Undefined if the noun has none. */
  withUuid?: (asker: ReferenceScope, uuid: string) => Promise<Candidate[]>;
  /** Returns which ids of a filter exist or existed. Undefined if they are not checked. */
  known?: ((asker: ReferenceScope, ids: number[]) => Promise<number[]>) | undefined;
}

/** The nouns that have names. All others are referred to by id only. */
export type Lookups = Record<NamedNoun, Lookup> & Partial<Record<Noun, Lookup>>;

interface Finder extends Lookup {
  words: string;
  notFound: ProblemCode;
}

/**
 * Replaces names and UUIDs in a request by ids, wherever the route's schemas have a reference, so
 * that routes only know ids. An unknown name is a 404 in a path, and an invalid field (422)
 * elsewhere; an ambiguous one is a 409 with the candidates. A request with a stored answer under
 * its `Idempotency-Key` gets that answer, whatever its names mean now.
 */
export function resolveReferences(app: FastifyInstance, deps: Deps, lookups: Lookups): void {
  app.addHook('preHandler', async (request, reply) => {
    const places = placesOf(request.routeOptions.schema);
    keepAsSent(request);
    try {
      await resolve(request, places);
    } catch (error) {
      return await replayEarlierAnswer(request, reply, error);
    }
  });

  async function resolve(request: FastifyRequest, places: Place[]): Promise<void> {
    const errors: FieldError[] = [];
    for (const place of places) {
      const { part, field, isList } = place;
      const values = valuesAt(request, place);
      if (values.length === 0) continue;
      const finder = finderAt(request, place);
      if (!finder) {
        errors.push(withoutNoun(place));
        continue;
      }
      const ids: (number | undefined)[] = [];
      // One at a time, so that a request with many names uses one connection.
      for (const value of values) ids.push(await idOf(request, finder, value));
      const unknown = await unknownAt(request, place, finder, ids);
      const found = new Set<number>();
      for (const [at, value] of values.entries()) {
        const id = ids[at];
        if (id !== undefined && !unknown.has(id)) {
          found.add(id);
          continue;
        }
        if (part === 'params') throw nothingFound(finder, value);
        const pointer = isList ? `/${field}/${at}` : `/${field}`;
        const where = part === 'body' ? { pointer } : { parameter: field };
        errors.push({ ...where, detail: nothingFound(finder, value).message });
      }
      const [first] = found;
      request[part] = { ...(request[part] as object), [field]: isList ? [...found] : first };
    }
    if (errors.length > 0) throw invalidFields(errors);
  }

  /** Undefined if another parameter determines the noun, and does not have exactly one value. */
  function finderAt(request: FastifyRequest, place: Place): Finder | undefined {
    if ('noun' in place) return finderOf(place.noun);
    const kinds = valuesAt(request, { part: place.part, field: place.by, isList: place.isList });
    const [kind, ...others] = kinds;
    const noun = others.length === 0 ? nouns.find((one) => one === kind) : undefined;
    // What no longer exists can be found as well.
    return noun && { ...finderOf(noun), known: undefined };
  }

  function finderOf(noun: Noun): Finder {
    return { words: wordsOf(noun), notFound: `${noun}_not_found`, ...lookups[noun] };
  }

  /** Undefined if nothing was found. */
  async function idOf(
    request: FastifyRequest,
    finder: Finder,
    value: string | number,
  ): Promise<number | undefined> {
    const text = String(value);
    if (/^\d+$/.test(text)) return readId(text);
    const caller = callerOf(request);
    const { name, uuid } = readName(text);
    const read = name ?? uuid;
    if (!caller || read === undefined) return undefined;
    const asker = scopeOf(request, caller);
    const byUuid = uuid !== undefined && finder.withUuid;
    const found = await (byUuid ? byUuid(asker, read) : finder.named?.(asker, read));
    return found && exactMatch(finder, text, found)?.id;
  }

  /** Checks the ids of a filter. Elsewhere the rules of the noun do so. */
  async function unknownAt(
    request: FastifyRequest,
    { part }: Place,
    { known }: Finder,
    ids: (number | undefined)[],
  ): Promise<Set<number>> {
    const caller = callerOf(request);
    const given = ids.filter((id) => id !== undefined);
    if (part !== 'query' || !known || !caller || given.length === 0) return new Set();
    const found = new Set(await known(scopeOf(request, caller), given));
    return new Set(given.filter((id) => !found.has(id)));
  }

  function scopeOf(request: FastifyRequest, caller: Caller): ReferenceScope {
    const { id } = (request.params ?? {}) as { id?: unknown };
    const pathId = typeof id === 'number' ? id : undefined;
    return { db: deps.db, caller, readable: referableRows(request, deps.db), pathId };
  }

  async function replayEarlierAnswer(
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ): Promise<FastifyReply> {
    if (isSafe(request.method) || !(error instanceof Problem)) throw error;
    const earlier = await earlierAnswer(request, deps.db, deps.secretKey);
    if (!earlier) throw error;
    markAudited(request);
    return sendAnswer(reply, earlier);
  }
}

function withoutNoun(place: Place): FieldError {
  const { field } = place;
  const by = 'by' in place ? place.by : '';
  return { parameter: field, detail: `Requires exactly one \`${by}\`.` };
}

/** Of several names that differ only in case, the exact match. */
function exactMatch(finder: Finder, text: string, found: Candidate[]): Candidate | undefined {
  if (found.length <= 1) return found[0];
  const [exact, ...others] = found.filter(({ name }) => name === text);
  if (exact && others.length === 0) return exact;
  const ids = found.map(({ id }) => id).join(', ');
  const detail = `Several ${finder.words}s are called ${shownName(text)}. Use one of these IDs: ${ids}.`;
  throw new Problem('ambiguous_name', detail, { members: { candidates: found } });
}

function nothingFound(finder: Finder, value: string | number) {
  const { words, notFound, isCalled = 'is called', list, named, withUuid } = finder;
  const text = String(value);
  const shown = shownName(text);
  const isNumber = /^\d+$/.test(text);
  const isId = isNumber || !named;
  const how = isId ? 'has the id' : withUuid && isUuid(text) ? 'has the UUID' : isCalled;
  const wayOut = list === undefined ? '' : ` List the ${words}s with ${list}.`;
  return new Problem(notFound, `No ${words} ${how} ${shown}.${wayOut}`);
}
