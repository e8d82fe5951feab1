import type { Logger } from 'pino';
import { insertAuditEntry } from '../../audit/entry-queries.ts';
import type { Db } from '../../db/connection.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { CheckAddress } from '../addresses.ts';
import { openSecrets, type WebhookSecrets } from '../secrets.ts';
import { readTarget, type TargetRules, UnusableUrl } from '../url.ts';
import { pauseAfter } from './back-off.ts';
import { guardedConnector, type ResolveName } from './connect.ts';
import type { Leased } from './lease-queries.ts';
import { eventBody, headersOf, testBody } from './message.ts';
import { noteFailure, recordDelivered, recordFailure, releaseDelivery } from './outcome-queries.ts';
import { type Outcome, send } from './send.ts';

/** From the beginning of a connection to the end of the response. */
const usualTimeoutMs = 15_000;
/** The receiver says that it is gone for good, which Standard Webhooks asks senders to heed. */
const gone = 410;

export interface AttemptObserver {
  /** An attempt has ended, with the reason if it failed. */
  attempted(
    outcome: NonNullable<Outcome['failure']>['reason'] | 'delivered',
    seconds: number,
  ): void;
}

export interface Attempting {
  db: Db;
  secretKey: Keyring;
  log: Logger;
  /** What the installation allows now, which may be less than when the webhook was created. */
  targets: TargetRules;
  check: CheckAddress;
  resolve: ResolveName;
  observer?: AttemptObserver | undefined;
  timeoutMs?: number;
}

/**
 * Attempts a leased delivery once, and records how that ended. If the signal aborts meanwhile, it is given back. After an
 * unexpected error it is attempted again when its lease has ended.
 */
export async function attempt(
  leased: Leased,
  attempting: Attempting,
  signal: AbortSignal,
): Promise<void> {
  const { db, observer } = attempting;
  let outcome: Outcome;
  try {
    outcome = await sendLeased(leased, attempting, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    await releaseDelivery(db, leased);
    return;
  }
  observer?.attempted(outcome.failure?.reason ?? 'delivered', outcome.durationMs / 1000);
  if (outcome.failure) await recordFailed(leased, outcome, attempting);
  else await recordDelivered(db, leased, outcome);
}

async function sendLeased(
  leased: Leased,
  { secretKey, targets, check, resolve, timeoutMs = usualTimeoutMs }: Attempting,
  signal: AbortSignal,
): Promise<Outcome> {
  const { webhookId, messageId, url, withFormer } = leased;
  const body = bodyOf(leased);
  if (body === undefined) return notSent('event_gone', 'The event is no longer kept.');
  const secrets = openSecrets(secretKey, webhookId, leased.secrets);
  if (!secrets) {
    const detail = 'The secret of the webhook cannot be decrypted. Rotate it.';
    return notSent('secrets_unreadable', detail);
  }
  const refusal = refusalOf(url, targets);
  if (refusal !== undefined) return notSent('address_refused', refusal);
  const headers = headersOf({ messageId, body, secrets, withFormer });
  const connect = guardedConnector({ check, resolve, timeoutMs });
  const outcome = await send({ url, headers, body }, { connect, timeoutMs, signal });
  return { ...outcome, excerpt: withoutValues(outcome.excerpt, secrets.headers) };
}

function refusalOf(url: string, targets: TargetRules): string | undefined {
  try {
    readTarget(url, targets);
    return undefined;
  } catch (error) {
    if (error instanceof UnusableUrl) return error.message;
    throw error;
  }
}

/** A receiver may repeat the headers in its response, which more people can read than may know them. */
function withoutValues(text: string | null, headers: WebhookSecrets['headers']): string | null {
  return Object.values(headers).reduce(
    (rest: string | null, value) => rest?.replaceAll(value, '[hidden]') ?? null,
    text,
  );
}

function bodyOf({ isTest, event, createdAt, projectId, webhookId, webhookName }: Leased) {
  if (event) return eventBody(event);
  if (!isTest) return undefined;
  return testBody({ at: createdAt, projectId, webhook: { id: webhookId, name: webhookName } });
}

const notSent = (
  reason: 'event_gone' | 'secrets_unreadable' | 'address_refused',
  detail: string,
): Outcome => ({
  ...{ durationMs: 0, status: null, excerpt: null },
  failure: { reason, detail },
});

/** A test says nothing about the events, so it does not count as a failure of the webhook. */
async function recordFailed(leased: Leased, outcome: Outcome, { db, log }: Attempting) {
  const { projectId, webhookId, isTest, mayRetry, attempts } = leased;
  const { failure, status, retryAfter } = outcome;
  const isFinal = !mayRetry || failure?.reason === 'event_gone';
  const pause = isFinal ? undefined : pauseAfter(attempts, { asked: retryAfter });
  await db.transaction().execute(async (trx) => {
    const isOurs = await recordFailure(trx, leased, outcome, pause);
    if (!isOurs || isTest || failure?.reason === 'event_gone') return;
    const paused = await noteFailure(trx, webhookId, { isGone: status === gone, isFinal });
    if (!paused) return;
    await insertAuditEntry(trx, {
      ...{ projectId, tokenId: null, userId: null, source: 'berth', byAdministrator: false },
      ...{ address: null, requestId: null, action: 'webhook_pause', status: 200 },
      target: { kind: 'webhook', id: webhookId },
      details: { paused_because: paused.because, failing_since: paused.since },
    });
    log.info({ webhook: webhookId, because: paused.because }, 'A webhook was paused.');
  });
}
