import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { SetupError } from '../../setup/commands.mjs';
import { isSafeRoute } from './db/remote.ts';
import type { Limit } from './http/limits/buckets.ts';
import type { Limits } from './http/limits/limiter.ts';
import type { ShellSettings, TlsFiles } from './http/shell/settings.ts';
import type { OidcSettings } from './identities/provider.ts';
import { publicImageServer, readImageServer } from './operating-systems/image-servers.ts';
import { isSafeForSecrets, readPublicUrl } from './sessions/origin.ts';
import { emailKey } from './users/email.ts';

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
  /** Names of what a start makes in this machine's Incus for the location `local`; undefined: none. */
  local: LocalNames | undefined;
  /** A guest's time to shut down before a graceful stop fails. */
  stopTimeoutSeconds: number;
  limits: Limits;
  /** Where images may come from, as `readImageServer` answers them. */
  imageServers: string[];
  /** Whether the metrics tell what each server uses. */
  metricsOfServers: boolean;
  shell: ShellSettings;
  /** How long a service that is to stop says so before it lets no more requests in. */
  drainSeconds: number;
  logLevel: string;
}

export interface LocalNames {
  project: string;
  pool: string;
  network: string;
}

type Environment = Record<string, string | undefined>;

export function loadConfig(env: Environment = process.env): Config {
  const port = wholeNumber(env, 'BERTH_PORT', 8080, 0, 65535);
  const failures = perMinute(limit(env, 'BERTH_LIMIT_BAD_TOKENS', '10/20'));
  return {
    host: env.BERTH_HOST ?? '127.0.0.1',
    port,
    publicUrl: publicUrl(env.BERTH_PUBLIC_URL ?? `http://localhost:${port}`),
    oidc: oidcSettings(env),
    dataDir: resolve(env.BERTH_DATA_DIR ?? 'data'),
    databaseUrl: databaseUrl(env),
    incusSocket: env.BERTH_INCUS_SOCKET,
    local: localNames(env),
    stopTimeoutSeconds: wholeNumber(env, 'BERTH_STOP_TIMEOUT', 60, 1, 3600),
    limits: {
      reads: limit(env, 'BERTH_LIMIT_READS', '100/200'),
      actions: limit(env, 'BERTH_LIMIT_ACTIONS', '5/20'),
      public: limit(env, 'BERTH_LIMIT_PUBLIC', '100/500'),
      failures,
      tries: failures,
      // Nobody can guess there; but each takes a row for a while.
      beginnings: times(failures, 6),
      networks: times(failures, 8),
      accounts: { perSecond: failures.perSecond / 10, burst: failures.burst },
      strangers: { perSecond: failures.perSecond / 50, burst: Math.ceil(failures.burst / 8) },
    },
    imageServers: imageServers(env),
    metricsOfServers: yesOrNo(env, 'BERTH_METRICS_SERVERS', false),
    shell: {
      allowedHosts: hosts(env),
      trustedProxies: networks(env, 'BERTH_TRUST_PROXY'),
      tls: tlsFiles(env),
      maxConnections: wholeNumber(env, 'BERTH_MAX_CONNECTIONS', 4000, 10, 1_000_000),
      maxStreams: wholeNumber(env, 'BERTH_MAX_STREAMS', 100, 10, 10_000),
      leastSpeed: wholeNumber(env, 'BERTH_LEAST_SPEED', 4096, 1, 1_000_000),
    },
    drainSeconds: wholeNumber(env, 'BERTH_DRAIN_SECONDS', 0, 0, 300),
    logLevel: env.BERTH_LOG_LEVEL ?? 'warn',
  };
}

/** A path as it was written on the command line: npm runs its scripts in the folder of the project. */
export function pathFromShell(path: string, env: Environment = process.env): string {
  return resolve(env.INIT_CWD ?? '.', path);
}

function localNames(env: Environment): LocalNames | undefined {
  if (!yesOrNo(env, 'BERTH_LOCAL', true)) return undefined;
  return {
    project: env.BERTH_LOCAL_PROJECT ?? 'berth',
    pool: env.BERTH_LOCAL_POOL ?? 'berth',
    network: env.BERTH_LOCAL_NETWORK ?? 'berthbr0',
  };
}

function databaseUrl(env: Environment): string | undefined {
  const { DATABASE_URL: text } = env;
  const mayBeRead = yesOrNo(env, 'BERTH_DATABASE_INSECURE', false);
  if (text === undefined) return undefined;
  if (isSafeDatabase(text, env) || mayBeRead) return text;
  throw new SetupError(
    'DATABASE_URL names a PostgreSQL on another machine, and does not say sslmode=verify-full: who is on the way could read the password, or answer instead of it.',
    'Add ?sslmode=verify-full, and &sslrootcert=FILE if no public authority signs its certificate. Where nobody is on the way, set BERTH_DATABASE_INSECURE=true.',
  );
}

function isSafeDatabase(url: string, env: Environment): boolean {
  try {
    if (/^postgres(ql)?:\/\//.test(url)) return isSafeRoute(url, env);
  } catch {
    // As for any other text that is none.
  }
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
  const allowedDomains = emailKey(domains)
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

function yesOrNo(env: Environment, name: string, unset: boolean): boolean {
  const text = env[name] ?? String(unset);
  if (text === 'true' || text === 'false') return text === 'true';
  throw new SetupError(
    `${name} must be true or false, not "${text}".`,
    `Set it so, or unset it: then it is ${unset}.`,
  );
}

const highestLimit = 1_000_000;

/** How many a second, and how many at once. */
function limit(env: Environment, name: string, unset: string): Limit {
  const text = env[name] ?? unset;
  const [, rate, most] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  const [perSecond, burst] = [Number(rate), Number(most)];
  const isFine = (value: number) => value >= 1 && value <= highestLimit;
  if (isFine(perSecond) && isFine(burst)) return { perSecond, burst };
  throw new SetupError(
    `${name} must be two whole numbers from 1 to ${highestLimit}, such as ${unset}, not "${text}".`,
    `The first is how many come back in time, the second how many may come at once. Unset, it is ${unset}.`,
  );
}

function perMinute({ perSecond: rate, burst }: Limit): Limit {
  return { perSecond: rate / 60, burst };
}

function times({ perSecond, burst }: Limit, factor: number): Limit {
  return { perSecond: perSecond * factor, burst: burst * factor };
}

function list(env: Environment, name: string): string[] {
  const parts = (env[name] ?? '').split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function hosts(env: Environment): string[] {
  const name = 'BERTH_ALLOWED_HOSTS';
  return list(env, name).map((host) => {
    if (/^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i.test(host)) return host.toLowerCase();
    throw new SetupError(
      `${name} holds "${host}", which is not the name of a host.`,
      'List names or addresses without a port, IPv6 in brackets: api.example.com,192.0.2.1,[2001:db8::1]',
    );
  });
}

function imageServers({ BERTH_IMAGE_SERVERS = publicImageServer }: Environment): string[] {
  const name = 'BERTH_IMAGE_SERVERS';
  return list({ [name]: BERTH_IMAGE_SERVERS }, name).map((text) => {
    const server = readImageServer(text);
    if (server !== undefined) return server;
    throw new SetupError(
      `${name} holds "${text}", which is not the https address of an image server.`,
      `List addresses such as ${publicImageServer}, which it is unset, or nothing, for none.`,
    );
  });
}

function networks(env: Environment, name: string): string[] {
  return list(env, name).map((text) => {
    const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const prefix = length === undefined ? bits : Number(length);
    if (bits > 0 && prefix <= bits) return `${address}/${prefix}`;
    throw new SetupError(
      `${name} holds "${text}", which is neither an address nor a network.`,
      'List the addresses of your reverse proxies: 192.0.2.7,10.0.0.0/8,2001:db8::/32',
    );
  });
}

function tlsFiles({ BERTH_TLS_CERT: cert, BERTH_TLS_KEY: key }: Environment): TlsFiles | undefined {
  if (cert && key) return { cert: resolve(cert), key: resolve(key) };
  if (!cert && !key) return undefined;
  throw new SetupError(
    `${cert ? 'BERTH_TLS_CERT is set, and BERTH_TLS_KEY' : 'BERTH_TLS_KEY is set, and BERTH_TLS_CERT'} is not.`,
    'TLS needs both: the files of a certificate and of its key. For plain HTTP set neither.',
  );
}
