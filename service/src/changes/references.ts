import { type NamedNoun, type Noun, nouns, wordsOf } from '@berth/contract/nouns';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../access/authentication.ts';
import type { Caller, Deps } from '../callers/app-types.ts';
import { readableRows } from '../callers/every-project.ts';
import type { Db } from '../db/connection.ts';
import type { ProjectRows } from '../db/project.ts';
import { isSafe } from '../lib/methods.ts';
import { type FieldError, invalidFields, Problem, type ProblemCode } from '../problems/problem.ts';
import { keepAsSent } from '../requests/as-sent.ts';
import { isUuid, readId, readName } from '../requests/path-id.ts';
import { type Place, placesOf, valuesAt } from '../requests/reference-places.ts';
import { markAudited } from './audit-marks.ts';
import { earlierAnswer, sendAnswer } from './idempotency.ts';

/** One of those that a name stands for, with what tells it from the others. */
export interface Candidate {
  id: number;
  name: string;
  uuid?: string;
  location?: string;
}

/** Who refers to something: they find what they may read, and by name what is in their project. */
export interface Asker {
  db: Db;
  caller: Caller;
  /** Of any project for administrators who named none. */
  readable: ProjectRows;
}

/** How one noun is found by what a request has of it. */
export interface Lookup {
  /** As in "No server is called web-1.", where it is not what the noun is called everywhere. */
  words?: string;
  /** Those that a text is the name of. Undefined: there are only ids. */
  named?: (asker: Asker, name: string) => Promise<Candidate[]>;
  /** Undefined: it has no UUIDs. */
  withUuid?: (asker: Asker, uuid: string) => Promise<Candidate[]>;
  /** Which of the ids of a filter there are, or were. Undefined: any will do. */
  known?: ((asker: Asker, ids: number[]) => Promise<number[]>) | undefined;
}

/** Of what has names. What else can be referred to has ids alone. */
export type Lookups = Record<NamedNoun, Lookup> & Partial<Record<Noun, Lookup>>;

interface Finder extends Lookup {
  words: string;
  notFound: ProblemCode;
}

/**
 * Puts ids in the place of what a request names otherwise, wherever its route's schemas have a reference,
 * so that no route need know of names. What names nothing is a 404 in a path, and elsewhere a bad field
 * (422); a name that several have is a 409 with the candidates. A request that was answered before under
 * its `Idempotency-Key` gets that answer, whatever its names stand for now.
 */
export function resolveReferences(app: FastifyInstance, deps: Deps, lookups: Lookups): void {
  app.addHook('preHandler', async (request, reply) => {
    const places = placesOf(request.routeOptions.schema);
    if (places.length === 0) return;
    keepAsSent(request);
    try {
      await resolve(request, places);
    } catch (error) {
      return await answerAsBefore(request, reply, error);
    }
  });

  async function resolve(request: FastifyRequest, places: Place[]): Promise<void> {
    const errors: FieldError[] = [];
    for (const place of places) {
      const { part, field, isList } = place;
      const values = valuesAt(request, place);
      if (values.length === 0) continue;
      const finder = finderAt(request, place);
      const ids: (number | undefined)[] = [];
      // One by one: a request with many names is to hold one connection at a time.
      for (const value of values) ids.push(await idOf(request, finder, value));
      const unknown = await unknownAt(request, place, finder, ids);
      for (const [at, value] of values.entries()) {
        const id = ids[at];
        if (id !== undefined && !unknown.has(id)) continue;
        if (part === 'params') throw nothingFound(finder, value);
        const pointer = isList ? `/${field}/${at}` : `/${field}`;
        const where = part === 'body' ? { pointer } : { parameter: field };
        errors.push({ ...where, detail: nothingFound(finder, value).message });
      }
      const found = ids.filter((id) => id !== undefined);
      request[part] = {
        ...(request[part] as object),
        [field]: isList ? [...new Set(found)] : found[0],
      };
    }
    if (errors.length > 0) throw invalidFields(errors);
  }

  function finderAt(request: FastifyRequest, place: Place): Finder {
    if ('noun' in place) return finderOf(place.noun);
    const kinds = valuesAt(request, { part: place.part, field: place.by, isList: place.isList });
    const [kind, ...others] = kinds;
    const noun = others.length === 0 ? nouns.find((one) => one === kind) : undefined;
    return noun ? { ...finderOf(noun), known: undefined } : anything;
  }

  function finderOf(noun: Noun): Finder {
    return { words: wordsOf(noun), notFound: `${noun}_not_found`, ...lookups[noun] };
  }

  /** Undefined: there is none. */
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
    const asker = { db: deps.db, caller, readable: readableRows(request, deps.db) };
    const byUuid = uuid !== undefined && finder.withUuid;
    const found = await (byUuid ? byUuid(asker, read) : finder.named?.(asker, read));
    return theOne(finder, text, found ?? [])?.id;
  }

  /** Of the ids of a filter: elsewhere the rules of the noun look for themselves. */
  async function unknownAt(
    request: FastifyRequest,
    { part }: Place,
    { known }: Finder,
    ids: (number | undefined)[],
  ): Promise<Set<number>> {
    const caller = callerOf(request);
    const given = ids.filter((id) => id !== undefined);
    if (part !== 'query' || !known || !caller || given.length === 0) return new Set();
    const asker = { db: deps.db, caller, readable: readableRows(request, deps.db) };
    const found = new Set(await known(asker, given));
    return new Set(given.filter((id) => !found.has(id)));
  }

  async function answerAsBefore(
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

/** Where nothing says what an id is of. */
const anything: Finder = { words: 'such thing', notFound: 'not_found' };

/** Of several that are alike but for the case of letters, the one that is written just so. */
function theOne(finder: Finder, text: string, found: Candidate[]): Candidate | undefined {
  if (found.length <= 1) return found[0];
  const [exact, ...others] = found.filter(({ name }) => name === text);
  if (exact && others.length === 0) return exact;
  const ids = found.map(({ id }) => id).join(', ');
  const detail = `Several ${finder.words}s are called ${shortened(text)}. Use one of these IDs: ${ids}.`;
  throw new Problem('ambiguous_name', detail, { members: { candidates: found } });
}

function nothingFound({ words, notFound, named, withUuid }: Finder, value: string | number) {
  const text = String(value);
  const shown = shortened(text);
  const isId = /^\d+$/.test(text) || !named;
  const how = isId ? 'has the id' : withUuid && isUuid(text) ? 'has the UUID' : 'is called';
  return new Problem(notFound, `No ${words} ${how} ${shown}.`);
}

/** The text comes back in an error, so not all of it. */
function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
