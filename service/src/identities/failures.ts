import type { OidcFailure } from '@berth/contract/sessions';
import type { FastifyRequest } from 'fastify';
import { markRefusedParts, markSignInAttempt, signInAttemptOf } from '../changes/audit-marks.ts';
import { Problem } from '../problems/problem.ts';

/** A sign-in at the provider that failed. The panel, to which the browser is redirected, has words for the reason. */
class SignInFailure extends Error {
  readonly reason: OidcFailure;

  constructor(reason: OidcFailure) {
    super(`A sign-in at the OpenID provider failed: ${reason}`);
    this.name = 'SignInFailure';
    this.reason = reason;
  }
}

/** The error of a failed sign-in, with `userId` if that is known. */
export function failed(
  request: FastifyRequest,
  reason: OidcFailure,
  userId: number | null = null,
): SignInFailure {
  markSignInAttempt(request, userId);
  return new SignInFailure(reason);
}

/**
 * Why a sign-in failed, which is entered in the audit log although the response is a redirect. Throws errors that have
 * another cause, such as a limit of requests.
 */
export function failureOf(request: FastifyRequest, error: unknown): OidcFailure {
  const reason = reasonOf(error);
  const userId = signInAttemptOf(request);
  if (userId !== undefined) {
    const target = userId === null ? null : ({ kind: 'user', id: userId } as const);
    const action = 'session_oidc_callback';
    markRefusedParts(request, [{ action, target, code: 'sign_in_failed' }]);
  }
  return reason;
}

function reasonOf(error: unknown): OidcFailure {
  if (error instanceof SignInFailure) return error.reason;
  // The user was disabled while they signed in.
  if (error instanceof Problem && error.code === 'sign_in_failed') return 'user_disabled';
  if (error instanceof Problem && error.code === 'unavailable') return 'provider_unavailable';
  throw error;
}
