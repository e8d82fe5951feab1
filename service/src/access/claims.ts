import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Claim, currentClaim, sharedByUnknown, withClaim } from '../db/queue/claim.ts';
import { isSafe } from '../lib/methods.ts';
import type { Identity } from './authentication.ts';

/** Gives each request its claim on the database. Must be called before any hook that queries it. */
export function claimDatabase(app: FastifyInstance): void {
  const claims = new WeakMap<FastifyRequest, Claim>();
  app.addHook('onRequest', (request, _reply, done) => {
    const claim = { share: sharedByUnknown, onlyReads: isSafe(request.method) };
    claims.set(request, claim);
    withClaim(claim, done);
  });
  // A body arrives by events of the connection, which may belong to the claim of another request.
  app.addHook('preValidation', (request, _reply, done) => {
    const claim = claims.get(request);
    if (claim) withClaim(claim, done);
    else done();
  });
}

/** Sets the claim once the caller of the current request is known. */
export function claimAs({ caller, person }: Identity): void {
  const claim = currentClaim();
  if (!claim) return;
  if (caller) claim.share = `project ${caller.project.id}`;
  else if (person) claim.share = `user ${person.userId}`;
}
