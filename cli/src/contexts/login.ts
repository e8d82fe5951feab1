import { Command } from '@commander-js/extra-typings';
import { type Cli, connectTo } from '../cli.ts';
import { Failure, usageFailure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { canAsk } from '../io.ts';
import { printable } from '../output/style.ts';
import { hidden, secretFromStdin } from '../prompts/password.ts';
import type { Schemas } from '../schemas.ts';
import { tokenFromBrowser } from './browser-sign-in.ts';
import { type Context, readContexts, writeContexts } from './file.ts';
import { tokenOfPerson } from './password-sign-in.ts';
import { revokeReplaced } from './revoke-replaced.ts';
import { checkedToken } from './token.ts';
import { isReadable, serviceUrl } from './url.ts';

export const login = (cli: Cli) =>
  new Command('login')
    .description(
      'Sign in to a Berth, and remember it as a context. You approve it in a browser, on this or on another machine, or give a token, or your email address and password.',
    )
    .argument('<url>', 'where the Berth is: https://berth.example')
    .option('--name <name>', 'the name of the context; by default the host')
    .option('--token-stdin', 'read a token from standard input')
    .option('--email <email>', 'sign in with this email address and a password')
    .option('--password-stdin', 'read the password from standard input')
    .option('--no-browser', 'only print the page to open, such as on another machine')
    .action(async (address, { name, ...how }) => {
      const url = serviceUrl(address);
      const { project } = cli.globals;
      if (isReadable(url)) cli.note(`Note: ${url} is not encrypted, so others can read the token.`);
      const { isOwnToken, ...secret } = await signIn(cli, url, how);
      const token = checkedToken(secret.token, 'What was read');
      const berth = connectTo(cli.io, cli.progress, { url, token, project });
      const { data: who } = await berth.GET('/v1/whoami').catch(async (error: unknown) => {
        // Such as for another project than the one that was approved. Nobody would find the token.
        if (isOwnToken) await revokeReplaced(cli, { url, token });
        throw error;
      });
      const key = name ?? new URL(url).host;
      const { current, contexts } = readContexts(cli.io);
      const context = {
        ...{ url, token },
        ...(isOwnToken && { isOwnToken }),
        ...(project !== undefined && { project }),
      };
      writeContexts(cli.io, { current: key, contexts: { ...contexts, [key]: context } });
      const whoThere = printable(`${nameOf(who)}, in the project ${who.project.name}`);
      cli.print(`You are signed in to ${url} as ${whoThere}.`);
      if (current === null || current === key) cli.note(`The context is called ${key}.`);
      else cli.note(`The context is ${key} now. To go back: berth context use ${current}`);
      const before = contexts[key];
      if (before?.isOwnToken && before.token !== token) await revokeReplaced(cli, before);
    });

export const nameOf = ({ user, token_id }: Schemas['Whoami']) =>
  user ? user.email : `token ${token_id}`;

interface How {
  tokenStdin?: true | undefined;
  email?: string | undefined;
  passwordStdin?: true | undefined;
  /** Whether to open it. */
  browser: boolean;
}

const withoutTerminal = (url: string) => `Give it a token: berth login ${url} --token-stdin < FILE
The first administrator finds one in the data directory of the service, such as data/admin-token.
In a terminal, "berth login ${url}" signs in with a browser.`;

type Secret = Pick<Context, 'token' | 'isOwnToken'>;

async function signIn(cli: Cli, url: string, how: How): Promise<Secret> {
  const { tokenStdin, email, passwordStdin } = how;
  if (tokenStdin) return { token: await secretFromStdin(cli.io) };
  if (email === undefined && passwordStdin) throw usageFailure('--password-stdin needs --email.');
  if (!passwordStdin && !canAsk(cli.io)) {
    throw new Failure('Nobody can be asked here, because standard input is not a terminal.', {
      hint: withoutTerminal(url),
      status: exitStatuses.usage,
    });
  }
  if (email === undefined)
    return { token: await tokenFromBrowser(cli, url, how), isOwnToken: true };
  const password = await (passwordStdin ? secretFromStdin(cli.io) : hidden(cli.io, 'Password:'));
  return { token: await tokenOfPerson(cli, url, { email, password }), isOwnToken: true };
}
