import type { RunningService } from './parts.ts';
import type { NoAdminToken } from './tokens/admin.ts';

interface Kind {
  /** Whether the engine is simulated: nobody can log in, and nothing keeps running. */
  isSimulated: boolean;
  /** Whether a person reads it, and it is not stored. */
  isTerminal: boolean;
}

/**
 * The message of a service that has started. At the first start it says how to get a first server.
 */
export function welcome(service: RunningService, kind: Kind): string {
  const { url, hasHelp, admin, hasLocation, firstServer } = service;
  const help = hasHelp ? `help: ${url}/help, ` : '';
  const parts = [`Berth listens on ${url}   (${help}reference of the API: ${url}/docs)`];
  if (!hasHelp) parts.push(`The help at ${url}/help is not built. To build it: npm run docs`);
  if (!hasLocation) parts.push(noLocation);
  if (typeof admin === 'string')
    parts.push(`${noToken[admin]} Create another one: ${makeToken(service)}`);
  else {
    if (admin.created && firstServer) parts.push(toFirstServer(url, admin.path, firstServer, kind));
    parts.push(tokenIsIn(admin.path));
  }
  if (service.setup !== 'over') parts.push(toSetup(service, kind));
  // A service of systemd has no terminal to press it in.
  if (kind.isTerminal) parts.push(ending(kind));
  return `\n${parts.join('\n\n')}\n`;
}

/** Never contains the token itself, because journals and the logs of containers are stored. */
function toFirstServer(
  url: string,
  tokenPath: string,
  { location, os }: NonNullable<RunningService['firstServer']>,
  { isSimulated }: Kind,
): string {
  const commands = [
    `npx berth login ${url} --token-stdin < ${quoted(tokenPath)}`,
    `npx berth server create web-1 --location ${quoted(location)} --os ${quoted(os)} --cpu 1 --ram 1G --disk 10G --generate-password`,
    isSimulated ? 'npx berth server list' : 'npx berth server ssh web-1',
  ];
  return `Your first server, in another terminal and the same directory:

  ${commands.join('\n  ')}`;
}

/** Only a terminal gets the code, because journals and the logs of containers are stored. */
function toSetup(service: RunningService, { isTerminal }: Kind): string {
  const { panelUrl, setup } = service;
  const open = `Open ${panelUrl}/setup`;
  if (typeof setup === 'string')
    return `${open} to make the first administrator. The code is in the file setup-code of the data directory of another service of this database. Without it: ${variablesOf(service)} npm run user -- create --email EMAIL --admin`;
  const once = 'It can be used once, within 24 hours.';
  if (isTerminal)
    return `${open} and enter the code ${setup.code} to make the first administrator. ${once}`;
  return `${open} to make the first administrator. The code is in ${setup.path}, which only its owner can read. ${once}`;
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const noLocation =
  'There is no location yet, so servers cannot be created. Add a location: npm run location -- --help';

const tokenIsIn = (path: string) => `The admin token is in ${path}, which only its owner can read.`;

const makeToken = (service: RunningService) =>
  `${variablesOf(service)} npm run token -- create --name NAME --scopes admin --out FILE`;

/** What a tool needs to find the database. The URL has a password, which must not be printed. */
const variablesOf = ({ dataDir, isEmbedded }: RunningService) =>
  `${isEmbedded ? '' : 'DATABASE_URL=… '}BERTH_DATA_DIR=${quoted(dataDir)}`;

const noToken: Record<NoAdminToken, string> = {
  elsewhere:
    'The admin token is in the data directory of the service that was started first on this database.',
  revoked: 'The first admin token was revoked.',
};

const ending = ({ isSimulated }: Kind) =>
  isSimulated ? 'Ctrl-C stops Berth.' : 'Ctrl-C stops Berth; the servers run on.';
