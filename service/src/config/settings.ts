import { publicImageServer } from '../operating-systems/image-servers.ts';
import * as read from './readers.ts';

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>;

/** A setting: an environment variable, how it is read, and what people are told of it. */
export interface Setting<T> {
  /** What it sets, in Markdown. */
  about: string;
  /** What is read when it is not set; undefined: nothing is, and the value is undefined. */
  unset: string | undefined;
  /** How that is shown. */
  shownUnset: string;
  /** `whole`: it is never shown. `password`: it is a URL, whose password is not. */
  secret?: 'whole' | 'password';
  read: read.Reader<T>;
}

const withDefault = <T>(unset: string, reader: read.Reader<T>, about: string, shown = '') => ({
  about,
  unset,
  shownUnset: shown || `\`${unset}\``,
  read: reader,
});

const optional = <T>(reader: read.Reader<T>, about: string, shownUnset = 'none') => ({
  about,
  unset: undefined,
  shownUnset,
  read: reader as read.Reader<T | undefined>,
});

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** Names of interfaces have 15 characters at most in Linux; Incus keeps to that for bridges. */
const longestNetwork = 15;
const longestName = 63;

/** All settings, in the order in which they are shown. The README's table is made of these. */
export const settings = {
  BERTH_HOST: withDefault('127.0.0.1', read.listenHost, 'the address that the API listens on'),
  BERTH_PORT: withDefault(
    '8080',
    read.wholeNumber(0, 65535),
    'its port; `0` takes any that is free',
  ),
  BERTH_PUBLIC_URL: optional(
    read.publicUrl,
    'where browsers find it: `https://…`, or `http` on the loopback address',
    '`http://localhost:PORT`',
  ),
  BERTH_OIDC_ISSUER: optional(
    read.issuerUrl,
    'an OpenID provider at which people may sign in as well',
  ),
  BERTH_OIDC_CLIENT_ID: optional(read.textOrNothing, 'the client id that Berth has there'),
  BERTH_OIDC_CLIENT_SECRET: {
    ...optional(read.textOrNothing, 'the client secret that Berth has there'),
    secret: 'whole',
  },
  BERTH_OIDC_ALLOWED_DOMAINS: withDefault(
    '',
    (given) => given,
    'whose email addresses may sign in there, at each sign-in, such as `example.com, example.org`',
    'any',
  ),
  BERTH_DATA_DIR: withDefault(
    './data',
    read.directory,
    'the directory of the database, the token, the key and image builds',
  ),
  BERTH_CACHE_DIR: optional(
    read.directory,
    'where an image that was built is kept for a week, so that another first start takes seconds',
    '`~/.cache/berth`',
  ),
  DATABASE_URL: {
    ...optional(
      (given) => given,
      'an outside PostgreSQL, elsewhere with `sslmode=verify-full`; without it, one is run here',
    ),
    secret: 'password',
  },
  BERTH_DATABASE_INSECURE: withDefault(
    'false',
    read.yesOrNo,
    '`true` takes a `DATABASE_URL` on another machine without `sslmode=verify-full`',
  ),
  BERTH_INCUS_SOCKET: optional(
    read.socketPath,
    'the unix socket of an Incus to use; without it, the system’s, started if need be',
  ),
  BERTH_LOCAL: withDefault(
    'true',
    read.yesOrNo,
    'whether this machine’s Incus is a location, `local`; `false` needs no Incus here',
  ),
  BERTH_LOCAL_PROJECT: withDefault(
    'berth',
    read.incusName(longestName),
    'the Incus project of the servers',
  ),
  BERTH_LOCAL_POOL: withDefault(
    'berth',
    read.incusName(longestName),
    'the Incus storage pool of their disks',
  ),
  BERTH_LOCAL_NETWORK: withDefault(
    'berthbr0',
    read.incusName(longestNetwork),
    'the Incus network that they are on',
  ),
  BERTH_STOP_TIMEOUT: withDefault(
    '60',
    read.wholeNumber(1, 3600),
    'seconds that a guest gets to shut down before a stop without `force` fails',
  ),
  BERTH_LIMIT_READS: withDefault(
    '100/200',
    read.limit,
    'reads (GET, HEAD) of a token: how many a second / how many at once',
  ),
  BERTH_LIMIT_ACTIONS: withDefault('5/20', read.limit, 'the same of all its other requests'),
  BERTH_LIMIT_CHANGES: withDefault(
    '60/1000',
    read.limit,
    'changes of a token or a person that are accepted: how many a minute / how many at once',
  ),
  BERTH_LIMIT_PROJECTS: withDefault('120/2000', read.limit, 'the same in a project'),
  BERTH_LIMIT_PUBLIC: withDefault(
    '100/500',
    read.limit,
    'requests from an address that need no token: how many a second / how many at once',
  ),
  BERTH_LIMIT_BAD_TOKENS: withDefault(
    '10/20',
    read.limit,
    'bad tokens from an address, and failed sign-ins, each: how many a minute / how many at once',
  ),
  BERTH_ALLOWED_HOSTS: withDefault(
    '',
    read.hosts,
    'names that the service is called by, such as `api.example.com,192.0.2.1`; others get 421',
    'any',
  ),
  BERTH_TLS_CERT: optional(
    read.textOrNothing,
    'the file of a certificate with its chain, in PEM; with `BERTH_TLS_KEY` the API speaks HTTPS',
  ),
  BERTH_TLS_KEY: optional(
    read.textOrNothing,
    'the file of its key; new files are taken within seconds, without a restart',
  ),
  BERTH_TRUST_PROXY: withDefault(
    '',
    read.proxies,
    'addresses of reverse proxies, such as `10.0.0.0/8`, whose `X-Forwarded-For` and `-Proto` count',
    'none',
  ),
  BERTH_MAX_CONNECTIONS: withDefault(
    '4000',
    read.wholeNumber(10, 1_000_000),
    'connections that are open at once; one address may have a tenth, and idle ones give way',
  ),
  BERTH_IMAGE_SERVERS: withDefault(
    publicImageServer,
    read.imageServers,
    'where images of operating systems may come from: `https://…` addresses, separated by commas',
    'the public one of Incus',
  ),
  BERTH_PROTECTED_ADDRESSES: withDefault(
    '',
    read.networks,
    'addresses and networks that servers do not reach, beside nodes and services: `192.0.2.0/24`',
    'none',
  ),
  BERTH_MAX_STREAMS: withDefault(
    '100',
    read.wholeNumber(10, 10_000),
    'large answers (64 KiB or more) sent at once; a token may have a tenth, a project a third',
  ),
  BERTH_LEAST_SPEED: withDefault(
    '4096',
    read.wholeNumber(1, 1_000_000),
    'bytes a second: a client that reads a large answer slower and falls 30 seconds behind is cut off',
  ),
  BERTH_METRICS_SERVERS: withDefault(
    'false',
    read.yesOrNo,
    'whether `/metrics` also shows what each server uses: six series a server',
  ),
  BERTH_DRAIN_SECONDS: withDefault(
    '0',
    read.wholeNumber(0, 300),
    'seconds that it goes on after the signal to stop, while `/v1/health/ready` already answers 503',
  ),
  BERTH_LOG_LEVEL: withDefault(
    'warn',
    read.oneOf(logLevels),
    `${logLevels
      .slice(0, -1)
      .map((level) => `\`${level}\``)
      .join(', ')} or \`${logLevels.at(-1)}\`; JSON lines on standard error`,
  ),
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof settings;
export type SettingName = keyof Settings;
export type Values = { [Name in SettingName]: ReturnType<Settings[Name]['read']> };

export const settingNames = Object.keys(settings) as SettingName[];

/** By name, for those that treat all alike. */
export const settingNamed = (name: SettingName): Setting<unknown> => settings[name];

/** Reads one setting. Throws `SetupError` where it is not written as it must be. */
export function readSetting<Name extends SettingName>(env: Environment, name: Name): Values[Name] {
  const { unset, shownUnset, read: reader } = settingNamed(name);
  const given = env[name] ?? unset;
  const shown = shownUnset.replaceAll('`', '');
  return (given === undefined ? undefined : reader(given, name, shown)) as Values[Name];
}
