import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, personOf } from '../access/authentication.ts';
import type { Db, Trx } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Keyring } from '../keys/keyring.ts';
import { answerSecret } from '../keys/places.ts';
import { Problem } from '../problems/problem.ts';
import { canonicalPath } from '../requests/api-path.ts';
import { asSent } from '../requests/as-sent.ts';
import {
  findAnswer,
  type ReplacedAnswer,
  replaceAnswer,
  type StoredAnswer,
  storeAnswer,
  tryLockKey,
  wipeAnswerSecrets,
} from './idempotency-queries.ts';

const fingerprint = 'idempotency_keys.request_hmac';
const longestWaitMs = 10_000;
const lookAgainMs = 50;

/** An answer as data, so that it can be stored. */
export interface Answer<B = unknown> {
  status: number;
  headers?: Record<string, string>;
  body: B;
  /** Fields that are sent with the body, and stored encrypted. */
  secret?: Record<string, string>;
}

export interface IdempotentAnswer<B> extends Answer<B> {
  headers: Record<string, string>;
}

/**
 * Runs `work` in a transaction. With an `Idempotency-Key` its answer is stored in the same
 * transaction, and replayed, with `Idempotency-Replayed: true`, to the same request for 24 hours.
 * Concurrent requests with the same key wait for the first. `prepare` runs before the transaction,
 * unless there is an answer already. Throws `idempotency_mismatch` (422) if the key was used for
 * another request, and `idempotency_in_progress` (409) if the first one takes more than 10 s.
 * Errors of `prepare` and `work` are not stored.
 */
export async function idempotently<B, P = undefined>(
  request: FastifyRequest,
  db: Db,
  secretKey: Keyring,
  work: (trx: Trx, prepared: P) => Promise<Answer<B>>,
  prepare?: () => Promise<P>,
): Promise<IdempotentAnswer<B>> {
  const owned = ownedKey(request);
  if (!owned) {
    const prepared = (await prepare?.()) as P;
    return await inTransaction(db, async (trx) => answered(await work(trx, prepared)));
  }
  const { caller, key } = owned;
  const told = wordsOf(request);
  const kept: Kept = { secretKey, caller, key, told };
  const earlier = prepare && (await findAnswer(db, caller, key));
  if (earlier) return replay<B>(earlier, kept);
  let prepared: P;
  try {
    prepared = (await prepare?.()) as P;
  } catch (error) {
    // The first request may have been answered meanwhile, and have used up what this one lacks.
    const answer = await findAnswer(db, caller, key);
    if (answer) return replay<B>(answer, kept);
    throw error;
  }
  const runOnce = async (trx: Trx) => {
    if (!(await tryLockKey(trx, caller, key))) return undefined;
    const stored = await findAnswer(trx, caller, key);
    if (stored) return replay<B>(stored, kept);
    const answer = answered(await work(trx, prepared));
    const place = answerSecret(caller, key);
    const secret = answer.secret ? secretKey.seal(place, answer.secret) : null;
    const requestHmac = secretKey.mac(fingerprint, told);
    await storeAnswer(trx, caller, key, { ...answer, requestHmac, secret });
    return answer;
  };
  // No connection is held between two polls: many waiting requests would starve the one that works.
  const end = performance.now() + longestWaitMs;
  while (performance.now() < end) {
    const answer = await inTransaction(db, runOnce);
    if (answer) return answer;
    await sleep(lookAgainMs);
  }
  const detail = 'The first request with this Idempotency-Key is still being processed. Try again.';
  throw new Problem('idempotency_in_progress', detail, { retryAfter: 2 });
}

/**
 * Replaces the answer that was stored under the request's `Idempotency-Key` by the result of its
 * operation. Does nothing without a key.
 */
export async function keepOutcome(
  request: FastifyRequest,
  db: Db,
  outcome: ReplacedAnswer,
): Promise<void> {
  const owned = ownedKey(request);
  if (owned) await replaceAnswer(db, owned.caller, owned.key, outcome);
}

/**
 * Forgets the secrets in stored answers to requests about a server, such as a password that was not
 * set, or that another one replaces.
 */
export async function forgetSecrets(trx: Trx, serverId: number): Promise<void> {
  await wipeAnswerSecrets(trx, serverId);
}

/**
 * The answer to the first request with this `Idempotency-Key`; undefined if there is none. Throws
 * `idempotency_mismatch` (422) if the key was used for another request.
 */
export async function earlierAnswer(
  request: FastifyRequest,
  db: Db,
  secretKey: Keyring,
): Promise<IdempotentAnswer<unknown> | undefined> {
  const owned = ownedKey(request);
  if (!owned) return undefined;
  const stored = await findAnswer(db, owned.caller, owned.key);
  return stored && replay(stored, { secretKey, ...owned, told: wordsOf(request) });
}

/** Sends an answer of `idempotently`. */
export function sendAnswer<B>(reply: FastifyReply, answer: IdempotentAnswer<B>): FastifyReply {
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .send({ ...(answer.body as object), ...answer.secret });
}

function answered<B>({ headers = {}, ...answer }: Answer<B>): IdempotentAnswer<B> {
  return { ...answer, headers };
}

/** A key and its owner. */
interface OwnedKey {
  caller: string;
  key: string;
}

/** Identifies a stored answer. */
interface Kept extends OwnedKey {
  secretKey: Keyring;
  /** Identifies the request. */
  told: string;
}

function replay<B>(
  stored: StoredAnswer,
  { secretKey, caller, key, told }: Kept,
): IdempotentAnswer<B> {
  if (!secretKey.isMac(fingerprint, told, stored.requestHmac)) {
    const detail = 'This Idempotency-Key was used for another request. Use a new key.';
    throw new Problem('idempotency_mismatch', detail);
  }
  const headers = { ...stored.headers, 'Idempotency-Replayed': 'true' };
  // It is the same request, so the body has the same type.
  const answer = { status: stored.status, headers, body: stored.body as B };
  if (!stored.secret) return answer;
  const secret = secretKey.open<Record<string, string>>(answerSecret(caller, key), stored.secret);
  return secret ? { ...answer, secret } : answer;
}

/**
 * Undefined without a key, and for somebody who signs in: they are not authenticated yet, so there
 * is no owner for the answer; and the session in it must not be stored.
 */
function ownedKey(request: FastifyRequest): OwnedKey | undefined {
  const key = idempotencyKey(request);
  const caller = callerName(request);
  return key === undefined || caller === undefined ? undefined : { caller, key };
}

/** The owner of a key: nobody gets an answer to somebody else. */
function callerName(request: FastifyRequest): string | undefined {
  const tokenId = callerOf(request)?.tokenId ?? null;
  if (tokenId !== null) return `token:${tokenId}`;
  const person = personOf(request);
  return person && `user:${person.userId}`;
}

/** 1 to 255 visible ASCII characters, unchanged. */
function idempotencyKey(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = String(header);
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem(
    'malformed_request',
    'The header Idempotency-Key must have 1 to 255 visible ASCII characters, without spaces.',
  );
}

/** The request as text. Only a MAC of it is stored, because a body may contain a password. */
function wordsOf(request: FastifyRequest): string {
  const { method, url } = request;
  const { query, body } = asSent(request);
  const project = callerOf(request)?.project.id ?? null;
  const parts = [method, canonicalPath(url), query, body ?? {}, project];
  return canonicalJson(parts);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isObject(part) ? sortedByKey(part) : part));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortedByKey(value: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}
