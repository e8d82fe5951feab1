import { resolve } from 'node:path';
import { SetupError } from '../../setup/commands.mjs';
import type { OidcSettings } from './identities/provider.ts';
import { isSafeForSecrets, readPublicUrl } from './sessions/origin.ts';

/** Everything that can be set from outside. The only reader of the environment. */
export interface Config {
  host: string;
  port: number;
  /** Where browsers find the service: what cookies, passkeys and the OpenID provider go by. */
  publicUrl: URL;
  /** Where people may sign in otherwise than here. */
  oidc: OidcSettings | undefined;
  dataDir: string;
  /** An outside PostgreSQL; without it an embedded one under the data directory is used. */
  databaseUrl: string | undefined;
  incusSocket: string | undefined;
  /** Names of what `npm start` makes in Incus for the location `local`. */
  local: { project: string; pool: string; network: string };
  /** A guest's time to shut down before a graceful stop fails. */
  stopTimeoutSeconds: number;
  logLevel: string;
}

type Environment = Record<string, string | undefined>;

export function loadConfig(env: Environment = process.env): Config {
  const port = wholeNumber(env, 'BERTH_PORT', 8080, 0, 65535);
  return {
    host: env.BERTH_HOST ?? '127.0.0.1',
    port,
    publicUrl: publicUrl(env.BERTH_PUBLIC_URL ?? `http://localhost:${port}`),
    oidc: oidcSettings(env),
    dataDir: resolve(env.BERTH_DATA_DIR ?? 'data'),
    databaseUrl: databaseUrl(env),
    incusSocket: env.BERTH_INCUS_SOCKET,
    local: {
      project: env.BERTH_LOCAL_PROJECT ?? 'berth',
      pool: env.BERTH_LOCAL_POOL ?? 'berth',
      network: env.BERTH_LOCAL_NETWORK ?? 'berthbr0',
    },
    stopTimeoutSeconds: wholeNumber(env, 'BERTH_STOP_TIMEOUT', 60, 1, 3600),
    logLevel: env.BERTH_LOG_LEVEL ?? 'warn',
  };
}

function databaseUrl({ DATABASE_URL: text }: Environment): string | undefined {
  if (text === undefined || /^postgres(ql)?:\/\//.test(text)) return text;
  throw new SetupError(
    'DATABASE_URL is not the URL of a PostgreSQL.',
    'Write it as postgresql://user:password@host:5432/database, or unset it to use an embedded one.',
  );
}

function publicUrl(text: string): URL {
  const url = readPublicUrl(text);
  if (url) return url;
  throw new SetupError(
    `BERTH_PUBLIC_URL must be where browsers find Berth, not "${text}".`,
    'Write it as https://berth.example.com, without a path; http is for localhost only.',
  );
}

function oidcSettings(env: Environment): OidcSettings | undefined {
  const { BERTH_OIDC_ISSUER: issuer, BERTH_OIDC_CLIENT_ID: clientId } = env;
  const { BERTH_OIDC_CLIENT_SECRET: clientSecret, BERTH_OIDC_ALLOWED_DOMAINS: domains = '' } = env;
  if (!issuer && !clientId && !clientSecret) return undefined;
  if (!issuer || !clientId || !clientSecret) {
    throw new SetupError(
      'An OpenID provider needs BERTH_OIDC_ISSUER, BERTH_OIDC_CLIENT_ID and BERTH_OIDC_CLIENT_SECRET.',
      'Set all three, or none of them.',
    );
  }
  const allowedDomains = domains
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return { issuer: issuerUrl(issuer), clientId, clientSecret, allowedDomains };
}

function issuerUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && isSafeForSecrets(url)) return url;
  throw new SetupError(
    `BERTH_OIDC_ISSUER must be the https address of an OpenID provider, not "${text}".`,
    'Write it as the provider does, such as https://id.example.com.',
  );
}

function wholeNumber(env: Environment, name: string, unset: number, min: number, max: number) {
  const text = env[name];
  if (text === undefined) return unset;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new SetupError(
    `${name} must be a whole number from ${min} to ${max}, not "${text}".`,
    `Set it so, or unset it: then it is ${unset}.`,
  );
}
