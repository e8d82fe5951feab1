import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { SetupError } from '../../../setup/commands.mjs';
import type { ShellSettings, TlsFiles } from '../edge/settings.ts';
import type { OidcSettings } from '../identities/provider.ts';
import { emailKey } from '../lib/email.ts';
import type { Limit } from '../limits/buckets.ts';
import type { Limits } from '../limits/limiter.ts';
import type { TargetRules } from '../webhooks/url.ts';
import { type Mistake, unknownNames } from './names.ts';
import { isSafeRoute } from './remote.ts';
import {
  type Environment,
  readSetting,
  type SettingName,
  settingNames,
  type Values,
} from './settings.ts';

/** All settings. Only this file reads the environment. */
export interface Config {
  host: string;
  port: number;
  /** The URL of the service for browsers, on which cookies, passkeys and the OpenID provider depend. */
  publicUrl: URL;
  /** The OpenID provider at which people can also sign in. */
  oidc: OidcSettings | undefined;
  dataDir: string;
  /** The directory that keeps built images for a week, for other data directories and later starts. */
  cacheDir: string;
  /** The URL of an external PostgreSQL. If it is undefined, an embedded one in the data directory is used. */
  databaseUrl: string | undefined;
  incusSocket: string | undefined;
  /**
   * The names of what a start creates in this machine's Incus for the location `local`; undefined if there is no such
   * location.
   */
  local: LocalNames | undefined;
  /** The time that a guest has to shut down before a stop without force fails. */
  stopTimeoutSeconds: number;
  limits: Limits;
  /** The image servers that images can come from, as returned by `readImageServer`. */
  imageServers: string[];
  /** Addresses and networks, as CIDR, that servers can't reach, in addition to those that Berth blocks anyway. */
  protectedAddresses: string[];
  /** Where webhooks can be. */
  webhooks: TargetRules;
  /** Whether the metrics include the usage of each server. */
  metricsOfServers: boolean;
  shell: ShellSettings;
  /**
   * The time between the stop signal, after which the service reports that it is not ready, and the end of accepting
   * requests.
   */
  drainSeconds: number;
  logLevel: string;
}

export interface LocalNames {
  project: string;
  pool: string;
  network: string;
}

/**
 * Reads all settings, and reports all mistakes at once.
 * @throws SetupError
 */
export function loadConfig(env: Environment = process.env): Config {
  const { config, mistakes } = readConfig(env);
  refuse(mistakes);
  return config;
}

/** Reads all settings. Wrong settings are returned as mistakes, and have their default values. */
export function readConfig(env: Environment): { config: Config; mistakes: Mistake[] } {
  const mistakes: Mistake[] = unknownNames(env);
  for (const name of settingNames) attempt(mistakes, [name], () => readSetting(env, name));
  const isWrong = (name: string) => mistakes.some(({ of }) => of.includes(name));
  const right = Object.fromEntries(Object.entries(env).filter(([name]) => !isWrong(name)));
  const values = Object.fromEntries(
    settingNames.map((name) => [name, readSetting(right, name)]),
  ) as Values;
  /** Reads settings that depend on each other, unless one of them is wrong. */
  const together = <T>(of: readonly SettingName[], read: () => T) =>
    of.some(isWrong) ? undefined : attempt(mistakes, of, read);
  const oidc = together(ofOidc, () => oidcSettings(values));
  const databaseUrl = together(ofDatabase, () => databaseOf(values, env));
  const tls = together(ofTls, () => tlsFiles(values));
  return { config: configOf(values, env, { oidc, databaseUrl, tls }), mistakes };
}

/** Returns the result of `read`. If it throws a `SetupError`, adds this to `mistakes` and returns undefined. */
export function attempt<T>(
  mistakes: Mistake[],
  of: readonly SettingName[],
  read: () => T,
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    mistakes.push({ of, error });
    return undefined;
  }
}

const ofOidc = ['BERTH_OIDC_ISSUER', 'BERTH_OIDC_CLIENT_ID', 'BERTH_OIDC_CLIENT_SECRET'] as const;
const ofDatabase = ['DATABASE_URL', 'BERTH_DATABASE_INSECURE'] as const;
const ofTls = ['BERTH_TLS_CERT', 'BERTH_TLS_KEY'] as const;

interface Together {
  oidc: OidcSettings | undefined;
  databaseUrl: string | undefined;
  tls: TlsFiles | undefined;
}

function configOf(values: Values, env: Environment, { oidc, databaseUrl, tls }: Together): Config {
  return {
    host: values.BERTH_HOST,
    port: values.BERTH_PORT,
    publicUrl: values.BERTH_PUBLIC_URL ?? new URL(`http://localhost:${values.BERTH_PORT}`),
    oidc,
    dataDir: values.BERTH_DATA_DIR,
    cacheDir:
      values.BERTH_CACHE_DIR ?? resolve(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth'),
    databaseUrl,
    incusSocket: values.BERTH_INCUS_SOCKET,
    local: localNames(values),
    stopTimeoutSeconds: values.BERTH_STOP_TIMEOUT,
    limits: limitsOf(values),
    imageServers: values.BERTH_IMAGE_SERVERS,
    protectedAddresses: values.BERTH_PROTECTED_ADDRESSES,
    webhooks: {
      allowHttp: values.BERTH_WEBHOOK_HTTP,
      allowedNetworks: values.BERTH_WEBHOOK_NETWORKS,
    },
    metricsOfServers: values.BERTH_METRICS_SERVERS,
    shell: {
      allowedHosts: values.BERTH_ALLOWED_HOSTS,
      trustedProxies: values.BERTH_TRUST_PROXY,
      tls,
      maxConnections: values.BERTH_MAX_CONNECTIONS,
      maxStreams: values.BERTH_MAX_STREAMS,
      maxEventStreams: values.BERTH_MAX_EVENT_STREAMS,
      leastSpeed: values.BERTH_LEAST_SPEED,
    },
    drainSeconds: values.BERTH_DRAIN_SECONDS,
    logLevel: values.BERTH_LOG_LEVEL,
  };
}

/** The environment of this process, for tools that show or check it. */
export const ownEnvironment = (): Environment => process.env;

/**
 * Resolves a path from the command line. npm runs its scripts in the folder of the project, not in that of the shell.
 */
export function pathFromShell(path: string, env: Environment = process.env): string {
  return resolve(env.INIT_CWD ?? '.', path);
}

/** The user of the machine who runs a command: `root`, or `root (sudo: alice)`. */
export function machineUser({ SUDO_USER: behind }: Environment = process.env): string {
  const own = userName();
  return behind === undefined || behind === own ? own : `${own} (sudo: ${behind})`;
}

/** In a container, a user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.geteuid?.()}`;
  }
}

/** Throws all mistakes as one error. */
export function refuse(mistakes: readonly Mistake[]): void {
  const [first, ...others] = mistakes;
  if (!first) return;
  if (others.length === 0) throw first.error;
  const each = mistakes.map(({ error }) => `${error.message} ${error.wayOut}`);
  throw new SetupError(
    `${mistakes.length} settings are wrong:`,
    '"npm run config -- check" checks them again.',
    each.join('\n'),
  );
}

function localNames(values: Values): LocalNames | undefined {
  if (!values.BERTH_LOCAL) return undefined;
  return {
    project: values.BERTH_LOCAL_PROJECT,
    pool: values.BERTH_LOCAL_POOL,
    network: values.BERTH_LOCAL_NETWORK,
  };
}

function limitsOf(values: Values): Limits {
  const failures = perMinute(values.BERTH_LIMIT_BAD_TOKENS);
  return {
    reads: values.BERTH_LIMIT_READS,
    actions: values.BERTH_LIMIT_ACTIONS,
    public: values.BERTH_LIMIT_PUBLIC,
    failures,
    attempts: failures,
    // Nothing can be guessed here, but each takes a row for a while.
    sign_in_starts: times(failures, 6),
    networks: times(failures, 8),
    accounts: { perSecond: failures.perSecond / 10, burst: failures.burst },
    strangers: { perSecond: failures.perSecond / 50, burst: Math.ceil(failures.burst / 8) },
    changes: perMinute(values.BERTH_LIMIT_CHANGES),
    projects: perMinute(values.BERTH_LIMIT_PROJECTS),
  };
}

function perMinute({ perSecond: rate, burst }: Limit): Limit {
  return { perSecond: rate / 60, burst };
}

function times({ perSecond, burst }: Limit, factor: number): Limit {
  return { perSecond: perSecond * factor, burst: burst * factor };
}

function databaseOf(values: Values, env: Environment): string | undefined {
  const { DATABASE_URL: text, BERTH_DATABASE_INSECURE: mayBeRead } = values;
  if (text === undefined) return undefined;
  if (isSafeDatabase(text, env) || mayBeRead) return text;
  throw new SetupError(
    'DATABASE_URL is a PostgreSQL on another machine, but does not set sslmode=verify-full. An attacker on the network could read the password, or answer in its place.',
    'Add ?sslmode=verify-full, and &sslrootcert=FILE if its certificate is not signed by a public authority. If nobody else has access to the network, set BERTH_DATABASE_INSECURE=true.',
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
    'Use the form postgresql://user:password@host:5432/database, or unset it to use an embedded PostgreSQL.',
  );
}

function oidcSettings(values: Values): OidcSettings | undefined {
  const { BERTH_OIDC_ISSUER: issuer, BERTH_OIDC_CLIENT_ID: clientId } = values;
  const { BERTH_OIDC_CLIENT_SECRET: clientSecret, BERTH_OIDC_ALLOWED_DOMAINS: domains } = values;
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
  const name = values.BERTH_OIDC_NAME ?? issuer.host;
  return { issuer, clientId, clientSecret, name, allowedDomains };
}

function tlsFiles({ BERTH_TLS_CERT: cert, BERTH_TLS_KEY: key }: Values): TlsFiles | undefined {
  if (cert && key) return { cert: resolve(cert), key: resolve(key) };
  if (!cert && !key) return undefined;
  throw new SetupError(
    `${cert ? 'BERTH_TLS_CERT is set, and BERTH_TLS_KEY' : 'BERTH_TLS_KEY is set, and BERTH_TLS_CERT'} is not.`,
    'TLS needs both, the file of a certificate and the file of its key. For plain HTTP, set neither.',
  );
}
