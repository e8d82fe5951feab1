import { publicImageServer } from '../operating-systems/image-servers.ts';
import * as read from './readers.ts';

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>;

/** A setting: an environment variable with its parser and its description. */
export interface Setting<T> {
  /** The description, in Markdown. */
  about: string;
  /** The text that is parsed if the variable is not set. If it is undefined, the value is undefined. */
  unset: string | undefined;
  /** How the default is shown. */
  shownUnset: string;
  /** `whole`: the value is never shown. `password`: the value is a URL whose password is never shown. */
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
/** Linux limits the names of interfaces to 15 characters, and so Incus limits those of bridges. */
const longestNetwork = 15;
const longestName = 63;

/** All settings, in the order in which they are shown. The table in docs/settings.md is made of these. */
export const settings = {
  BERTH_HOST: withDefault('127.0.0.1', read.listenHost, 'The address that the API listens on'),
  BERTH_PORT: withDefault(
    '8080',
    read.wholeNumber(0, 65535),
    'The port that the API listens on; `0` selects a free port',
  ),
  BERTH_PUBLIC_URL: optional(
    read.publicUrl,
    'The URL at which browsers reach Berth: `https://…`, or `http` on the loopback address',
    '`http://localhost:PORT`',
  ),
  BERTH_OIDC_ISSUER: optional(
    read.issuerUrl,
    'The issuer URL of an OpenID provider at which people can sign in',
  ),
  BERTH_OIDC_CLIENT_ID: optional(
    read.textOrNothing,
    'The client ID of Berth at the OpenID provider',
  ),
  BERTH_OIDC_CLIENT_SECRET: {
    ...optional(read.textOrNothing, 'The client secret of Berth at the OpenID provider'),
    secret: 'whole',
  },
  BERTH_OIDC_NAME: optional(
    read.textOrNothing,
    'The name of the OpenID provider, which people see when they sign in',
    'its host name',
  ),
  BERTH_OIDC_ALLOWED_DOMAINS: withDefault(
    '',
    (given) => given,
    'Email domains that can sign in with OpenID, checked at each sign-in: `example.com, example.org`',
    'any',
  ),
  BERTH_DATA_DIR: withDefault(
    './data',
    read.directory,
    'The directory of the database, the first token, the secret key and image builds',
  ),
  BERTH_CACHE_DIR: optional(
    read.directory,
    'The directory that keeps a built image for a week, so that another first start is fast',
    '`~/.cache/berth`',
  ),
  DATABASE_URL: {
    ...optional(
      (given) => given,
      'The URL of an external PostgreSQL; if it is not set, Berth runs an embedded one',
    ),
    secret: 'password',
  },
  BERTH_DATABASE_INSECURE: withDefault(
    'false',
    read.yesOrNo,
    '`true` accepts a `DATABASE_URL` on another machine without `sslmode=verify-full`',
  ),
  BERTH_INCUS_SOCKET: optional(
    read.socketPath,
    'The unix socket of Incus; the default is that of the system, which is started if needed',
  ),
  BERTH_LOCAL: withDefault(
    'true',
    read.yesOrNo,
    'Whether the Incus of this machine is the location `local`; `false` needs no Incus here',
  ),
  BERTH_LOCAL_PROJECT: withDefault(
    'berth',
    read.incusName(longestName),
    'The Incus project of the servers',
  ),
  BERTH_LOCAL_POOL: withDefault(
    'berth',
    read.incusName(longestName),
    'The Incus storage pool of the disks of servers',
  ),
  BERTH_LOCAL_NETWORK: withDefault(
    'berthbr0',
    read.incusName(longestNetwork),
    'The Incus network of the servers',
  ),
  BERTH_STOP_TIMEOUT: withDefault(
    '60',
    read.wholeNumber(1, 3600),
    'Seconds that a guest has to shut down before a stop without `force` fails',
  ),
  BERTH_LIMIT_READS: withDefault(
    '100/200',
    read.limit,
    'Limit on the reads (GET and HEAD) of a token: requests per second / burst',
  ),
  BERTH_LIMIT_ACTIONS: withDefault(
    '5/20',
    read.limit,
    'Limit on all other requests of a token: requests per second / burst',
  ),
  BERTH_LIMIT_CHANGES: withDefault(
    '60/1000',
    read.limit,
    'Limit on the accepted changes of a token or a user: changes per minute / burst',
  ),
  BERTH_LIMIT_PROJECTS: withDefault(
    '120/2000',
    read.limit,
    'Limit on the accepted changes in a project: changes per minute / burst',
  ),
  BERTH_LIMIT_PUBLIC: withDefault(
    '100/500',
    read.limit,
    'Limit on the requests of an address that need no token: requests per second / burst',
  ),
  BERTH_LIMIT_BAD_TOKENS: withDefault(
    '10/20',
    read.limit,
    'Limit on invalid tokens, and on failed sign-ins, of an address: requests per minute / burst',
  ),
  BERTH_ALLOWED_HOSTS: withDefault(
    '',
    read.hosts,
    'Host names that requests can use, such as `api.example.com,192.0.2.1`; others get 421',
    'any',
  ),
  BERTH_TLS_CERT: optional(
    read.textOrNothing,
    'The file of a certificate with its chain, in PEM; together with `BERTH_TLS_KEY` it turns on HTTPS',
  ),
  BERTH_TLS_KEY: optional(
    read.textOrNothing,
    'The file of the private key; changed files are loaded within seconds, without a restart',
  ),
  BERTH_TRUST_PROXY: withDefault(
    '',
    read.proxies,
    'Addresses of reverse proxies whose `X-Forwarded-For` and `-Proto` are trusted: `10.0.0.0/8`',
    'none',
  ),
  BERTH_MAX_CONNECTIONS: withDefault(
    '4000',
    read.wholeNumber(10, 1_000_000),
    'Largest number of open connections; an address can have a tenth of them',
  ),
  BERTH_IMAGE_SERVERS: withDefault(
    publicImageServer,
    read.imageServers,
    'Image servers that images can come from: `https://…` addresses, separated by commas',
    'the public one of Incus',
  ),
  BERTH_PROTECTED_ADDRESSES: withDefault(
    '',
    read.networks,
    'Further addresses and networks that servers cannot reach, such as `192.0.2.0/24`',
    'none',
  ),
  BERTH_WEBHOOK_NETWORKS: withDefault(
    '',
    read.networks,
    'Networks in which webhooks can be, although they are private or of this installation: `10.0.5.0/24`',
    'none',
  ),
  BERTH_WEBHOOK_HTTP: withDefault(
    'false',
    read.yesOrNo,
    'Whether webhooks can have `http` URLs, whose events and secret headers others can read',
  ),
  BERTH_MAX_STREAMS: withDefault(
    '100',
    read.wholeNumber(10, 10_000),
    'Largest number of responses of 64 KiB or more at a time; a token can have a tenth, a project a third',
  ),
  BERTH_MAX_EVENT_STREAMS: withDefault(
    '2000',
    read.wholeNumber(10, 100_000),
    'Largest number of streams of events at a time; a token can have a tenth, a project a third',
  ),
  BERTH_LEAST_SPEED: withDefault(
    '4096',
    read.wholeNumber(1, 1_000_000),
    'Bytes per second; a client that falls 30 seconds behind this in a large response is disconnected',
  ),
  BERTH_METRICS_SERVERS: withDefault(
    'false',
    read.yesOrNo,
    'Whether `/metrics` also has the usage of each server: six series for each server',
  ),
  BERTH_DRAIN_SECONDS: withDefault(
    '0',
    read.wholeNumber(0, 300),
    'Seconds that Berth continues after the stop signal, while `/v1/health/ready` returns 503',
  ),
  BERTH_LOG_LEVEL: withDefault(
    'warn',
    read.oneOf(logLevels),
    `The least severe level to log: ${logLevels
      .slice(0, -1)
      .map((level) => `\`${level}\``)
      .join(', ')} or \`${logLevels.at(-1)}\``,
  ),
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof settings;
export type SettingName = keyof Settings;
export type Values = { [Name in SettingName]: ReturnType<Settings[Name]['read']> };

export const settingNames = Object.keys(settings) as SettingName[];

/** A setting by name, for code that treats all settings alike. */
export const settingNamed = (name: SettingName): Setting<unknown> => settings[name];

/** Reads one setting. Throws `SetupError` if its value is invalid. */
export function readSetting<Name extends SettingName>(env: Environment, name: Name): Values[Name] {
  const { unset, shownUnset, read: reader } = settingNamed(name);
  const given = env[name] ?? unset;
  const shown = shownUnset.replaceAll('`', '');
  return (given === undefined ? undefined : reader(given, name, shown)) as Values[Name];
}
