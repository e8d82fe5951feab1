import type {
  DeviceApproval,
  DeviceAuthorization,
  DeviceToken,
} from '@berth/contract/device-authorizations';
import type { Caller, Deps } from '../callers/app-types.ts';
import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import { deviceToken } from '../keys/places.ts';
import { Problem } from '../problems/problem.ts';
import { generateSecret, secretHash } from '../sessions/secret.ts';
import type { ShownToken } from '../tokens/queries.ts';
import { createToken } from '../tokens/tokens.ts';
import { generateUserCode, userCodeHash } from './codes.ts';
import {
  findPending,
  insertAuthorization,
  isPending,
  lockPending,
  type PendingRow,
  storeDenial,
  storeToken,
  takeDecision,
} from './queries.ts';

/** How often a program may ask whether it was approved. */
const intervalSeconds = 2;

interface Program {
  clientName: string;
  address: string;
  /** The origin of the panel. */
  origin: string;
}

/** Issues the codes with which a program gets a token from a person. */
export async function begin(
  { db }: Pick<Deps, 'db'>,
  { clientName, address, origin }: Program,
): Promise<DeviceAuthorization> {
  const deviceCode = generateSecret();
  const hash = secretHash(deviceCode);
  for (;;) {
    const userCode = generateUserCode();
    const codes = { deviceCodeHash: hash, userCodeHash: userCodeHash(userCode) };
    const expiresAt = await insertAuthorization(db, { ...codes, clientName, address });
    // Another program was just given the same user code.
    if (expiresAt === undefined) continue;
    const page = new URL('/authorize', origin);
    const complete = new URL(page);
    complete.searchParams.set('code', userCode);
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_url: page.href,
      verification_url_complete: complete.href,
      expires_at: expiresAt,
      interval: intervalSeconds,
    };
  }
}

/** Throws `user_code_not_found` (404). */
export async function requirePending({ db }: Pick<Deps, 'db'>, code: string): Promise<PendingRow> {
  const row = await findPending(db, userCodeHash(code));
  if (!row) throw noSuchCode();
  return row;
}

/** Creates the token that the program gets, as `createToken`. Throws `user_code_not_found` (404) as well. */
export async function approve(
  { trx, project }: { trx: Trx; project: Project },
  { secretKey }: Pick<Deps, 'secretKey'>,
  caller: Caller,
  code: string,
  wanted: DeviceApproval,
): Promise<{ row: ShownToken; asker: PendingRow }> {
  const asker = await requireUndecided(trx, code);
  const name = `berth on ${asker.client_name}`;
  const { token, row } = await createToken(trx, project, caller, { name, ...wanted });
  const hash = asker.device_code_sha256;
  await storeToken(trx, hash, { id: row.id, sealed: secretKey.seal(deviceToken(hash), token) });
  return { row, asker };
}

/** Throws `user_code_not_found` (404). */
export async function deny(trx: Trx, code: string): Promise<PendingRow> {
  const asker = await requireUndecided(trx, code);
  await storeDenial(trx, asker.device_code_sha256);
  return asker;
}

async function requireUndecided(trx: Trx, code: string): Promise<PendingRow> {
  const row = await lockPending(trx, userCodeHash(code));
  if (!row) throw noSuchCode();
  return row;
}

/**
 * The token that was approved, once. Throws `authorization_pending` (400), `authorization_denied` (403), and
 * `device_code_invalid` (400) for a code that is unknown, has expired or was used.
 */
export async function redeem(
  { db, secretKey }: Pick<Deps, 'db' | 'secretKey'>,
  deviceCode: string,
): Promise<DeviceToken> {
  const hash = secretHash(deviceCode);
  const decision = await takeDecision(db, hash);
  if (!decision) throw (await isPending(db, hash)) ? stillPending() : codeInvalid();
  const { token_id, token: sealed } = decision;
  if (token_id === null || sealed === null) throw denied();
  const token = secretKey.open<string>(deviceToken(hash), sealed);
  // The key was lost.
  if (token === undefined) throw codeInvalid();
  return { token_id, token };
}

const noSuchCode = () =>
  new Problem(
    'user_code_not_found',
    'No program waits with this code. It may have expired, or somebody has approved or denied it.',
  );

const stillPending = () =>
  new Problem('authorization_pending', 'Nobody has approved or denied it yet.');

const codeInvalid = () =>
  new Problem('device_code_invalid', 'The code is unknown, has expired, or was used.');

const denied = () => new Problem('authorization_denied', 'The request for a token was denied.');
