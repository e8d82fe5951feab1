import type { Deps, Scope } from '../callers/app-types.ts';
import { allows } from '../callers/scopes.ts';
import { Problem } from '../problems/problem.ts';
import { identifyBySessionHash } from './by-session.ts';
import { identifyByToken } from './by-token.ts';

/** The credential of something that outlasts the request that presented it, by the hash of its secret. */
export interface LastingCredential {
  token: Buffer | null;
  session: Buffer | null;
  projectId: number;
  /** Where it is used from now. */
  address: string;
}

/**
 * Looks a credential up again. Returns when it expires, or null. Throws the problem that a new request would get, if it
 * is no longer valid or lacks the scope.
 */
export async function identifyLasting(
  deps: Pick<Deps, 'db' | 'credentials'>,
  { token, session, projectId, address }: LastingCredential,
  scope: Scope,
): Promise<string | null> {
  const asker = { wanted: { id: projectId }, address };
  const { caller, person } = token
    ? await identifyByToken(asker, deps, token, () => undefined)
    : await identifyBySessionHash(asker, deps, session ?? Buffer.alloc(0));
  if (caller && allows(caller.scopes, scope)) return person?.expiresAt ?? caller.expiresAt;
  throw new Problem('scope_missing', `The scope ${scope} was taken away.`);
}
