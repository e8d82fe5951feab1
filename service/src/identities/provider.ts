import type { Configuration } from 'openid-client';
import { Problem } from '../problems/problem.ts';
import { confirmedSeconds } from '../sessions/queries.ts';

export interface OidcSettings {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  /** What people call it. */
  name: string;
  /** Email domains whose users may sign in; empty means any. */
  allowedDomains: readonly string[];
}

/** The values that the provider must return unchanged. */
export interface OidcState {
  nonce: string;
  codeVerifier: string;
}

/** What the provider says about a person. */
export interface Claims {
  issuer: string;
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
  /** When the person last authenticated at the provider; null if it does not say. */
  authenticatedAt: Date | null;
}

export interface IdentityProvider {
  readonly name: string;
  readonly allowedDomains: readonly string[];
  /** The URL to which the browser is redirected. It comes back to `redirectUri` with `state`. */
  authorizationUrl(state: string, kept: OidcState, redirectUri: string): Promise<string>;
  /** Throws if the provider returns an error, or if its response is invalid. */
  claimsOf(callbackUrl: URL, state: string, kept: OidcState): Promise<Claims>;
}

/** The library is loaded for the first sign-in at a provider, which most installations do not have. */
const library = () => import('openid-client');

export async function newOidcState(): Promise<OidcState> {
  const openid = await library();
  return { nonce: openid.randomNonce(), codeVerifier: openid.randomPKCECodeVerifier() };
}

const timeoutSeconds = 10;

/**
 * An OpenID provider, with the authorization code flow, PKCE, state and nonce. It gets no requests before it is needed.
 */
export function createIdentityProvider(settings: OidcSettings): IdentityProvider {
  const { issuer, clientId, clientSecret, name, allowedDomains } = settings;
  let discovering: Promise<Configuration> | undefined;

  async function discover(): Promise<Configuration> {
    const openid = await library();
    discovering ??= openid.discovery(
      issuer,
      clientId,
      undefined,
      openid.ClientSecretBasic(clientSecret),
      {
        timeout: timeoutSeconds,
        // The settings allow http only on the loopback address.
        execute: issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : [],
      },
    );
    try {
      return await discovering;
    } catch (error) {
      // It may be available again at the next attempt.
      discovering = undefined;
      const detail = 'The OpenID provider cannot be reached at the moment. Try again.';
      throw new Problem('unavailable', detail, { retryAfter: 5, cause: error });
    }
  }

  return {
    ...{ name, allowedDomains },
    async authorizationUrl(state, { nonce, codeVerifier }, redirectUri) {
      const openid = await library();
      const url = openid.buildAuthorizationUrl(await discover(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        // Makes the provider return the time of the authentication too (OpenID Connect Core 1.0,
        // section 3.1.2.1).
        max_age: String(confirmedSeconds),
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },
    async claimsOf(callbackUrl, state, { nonce, codeVerifier }) {
      const [openid, client] = await Promise.all([library(), discover()]);
      const tokens = await openid.authorizationCodeGrant(client, callbackUrl, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const signed = tokens.claims();
      if (!signed) throw new Error('The provider sent no ID token.');
      const asksMore = !isWhole(signed) && client.serverMetadata().userinfo_endpoint;
      const more: Said = asksMore
        ? await openid.fetchUserInfo(client, tokens.access_token, signed.sub)
        : {};
      const fullName = signed.name ?? more.name;
      return {
        issuer: signed.iss,
        subject: signed.sub,
        ...emailOf(signed, more),
        name: typeof fullName === 'string' ? fullName : undefined,
        // Somebody who controls the browser can remove max_age from the request. Then the time is missing.
        authenticatedAt: signed.auth_time === undefined ? null : new Date(signed.auth_time * 1000),
      };
    },
  };
}

/** Claims with the names of OpenID Connect Core 1.0, section 5.1. */
type Said = Readonly<Record<string, unknown>>;

function isWhole({ email, email_verified }: Said): boolean {
  return email !== undefined && email_verified !== undefined;
}

/**
 * The address, and whether the provider says that exactly this address is verified: by `true` in the same response,
 * which is the ID token or the user info.
 */
export function emailOf(signed: Said, more: Said) {
  const whole = [signed, more].find(isWhole);
  const email = whole ? whole.email : (signed.email ?? more.email);
  return {
    email: typeof email === 'string' ? email : undefined,
    isEmailVerified: whole?.email_verified === true,
  };
}

/** Why a sign-in at the provider failed, without any part of what was sent. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, error: answer } = error as { code?: unknown; error?: unknown };
  return [error.name, code, answer].filter((part) => typeof part === 'string').join(' ');
}
