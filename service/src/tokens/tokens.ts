import type { TokenCreate } from '@berth/contract/tokens';
import type { Caller } from '../callers/app-types.ts';
import { allows } from '../callers/scopes.ts';
import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import { findMember, mayActIn } from '../projects/members/queries.ts';
import { projectNotFound } from '../projects/projects.ts';
import { lockProject } from '../projects/queries.ts';
import { normalNetwork } from './networks.ts';
import {
  countRevokedWith,
  countTokens,
  findKinship,
  findToken,
  insertToken,
  markTokenRevoked,
  type ShownToken,
} from './queries.ts';
import { rulesErrors } from './rules.ts';
import { generateToken, tokenHash } from './token.ts';

/** The maximum of valid tokens of a project. */
const maxTokens = 1000;

export function tokenNotFound(id: number | string): Problem {
  return new Problem('token_not_found', `No active token has the id ${id}.`);
}

/**
 * Creates a token that is no stronger than its creator: in its scopes, its networks, and its
 * expiry. Throws `quota_exceeded` (403) if the project has too many.
 */
export async function createToken(
  trx: Trx,
  project: Project,
  caller: Caller,
  body: TokenCreate,
): Promise<{ token: string; row: ShownToken }> {
  const { name, scopes } = body;
  const expiresAt = body.expires_at ?? caller.expiresAt;
  const wanted = body.allowed_networks ?? caller.allowedNetworks;
  const allowedNetworks = wanted.map((network) => normalNetwork(network) ?? network);
  const errors = rulesErrors(body, caller);
  if (errors.length > 0) throw invalidFields(errors);
  await requireQuota(trx, project);
  await requireMembership(trx, project, caller);
  const token = generateToken();
  const hash = tokenHash(token);
  // The tokens that a token creates also belong to its user: they end with the user's membership.
  const createdBy = caller.userId;
  const parentId = caller.tokenId;
  const values = { name, hash, scopes, expiresAt, allowedNetworks, createdBy, parentId };
  const id = await insertToken(project, values);
  if (id === undefined) throw new Problem('token_invalid', 'The token was just revoked.');
  return { token, row: await requireToken(project, id) };
}

/** Checks the number of tokens under a lock until the transaction ends, so that concurrent requests can't exceed it. */
async function requireQuota(trx: Trx, project: Project): Promise<void> {
  if (!(await lockProject(trx, project.id))) throw projectNotFound(project.id);
  if ((await countTokens(project)) < maxTokens) return;
  const detail = `The project has the maximum of ${maxTokens} tokens. Revoke some that are not needed.`;
  throw new Problem('quota_exceeded', detail);
}

/** A user who was removed during the request must not leave a token behind. */
async function requireMembership(trx: Trx, project: Project, caller: Caller): Promise<void> {
  const person = personOf(caller);
  if (person === null || (await mayActIn(trx, project.id, person))) return;
  throw projectNotFound(project.id);
}

/** The user of a session; null for a token, also for one that a user owns. */
const personOf = ({ tokenId, userId }: Caller) => (tokenId === null ? userId : null);

/**
 * Revokes a token. This takes effect with the next request, on other replicas within a second. A
 * token may revoke itself and its descendants, a user their own; administrators and owners all,
 * except for stronger ones and their own ancestors. `count` is the number of revoked tokens,
 * including descendants. Throws `owner_required` (403) and `scope_missing` (403).
 */
export async function revokeToken(
  trx: Trx,
  project: Project,
  caller: Caller,
  id: number,
): Promise<{ row: ShownToken; count: number }> {
  const row = await requireToken(project, id);
  if (!(await isTheirs(project, caller, row))) await requireAuthority(trx, project, caller, row);
  await markTokenRevoked(project, id);
  return { row, count: await countRevokedWith(project, id) };
}

async function isTheirs(
  project: Project,
  { tokenId, userId }: Caller,
  { id, created_by }: ShownToken,
): Promise<boolean> {
  // A token without a creator belongs to no session.
  if (tokenId === null) return userId !== null && created_by === userId;
  const { isOf, isMakerOf } = await findKinship(project, id, tokenId);
  if (!isMakerOf) return isOf;
  const detail =
    'Your token was created with that token. Its user, or an owner of the project, can revoke it.';
  throw new Problem('owner_required', detail);
}

async function requireAuthority(
  trx: Trx,
  project: Project,
  caller: Caller,
  row: ShownToken,
): Promise<void> {
  const person = personOf(caller);
  const member = person === null ? undefined : await findMember(trx, project.id, person);
  if (!allows(caller.scopes, 'admin') && member?.role !== 'owner') {
    const detail =
      'A token revokes itself and those that it made, a person their own. ' +
      'Have an owner of the project, or an administrator, revoke this one.';
    throw new Problem('owner_required', detail);
  }
  const lacking = row.scopes.find((scope) => !allows(caller.scopes, scope));
  if (lacking) {
    throw new Problem(
      'scope_missing',
      `That token has the scope ${lacking}, which you do not have.`,
    );
  }
}

async function requireToken(project: Project, id: number): Promise<ShownToken> {
  const row = await findToken(project, id);
  if (!row) throw tokenNotFound(id);
  return row;
}
