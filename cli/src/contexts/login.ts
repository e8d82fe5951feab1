import { hostname } from 'node:os';
import { BerthError, createBerth } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import { type Cli, connectTo } from '../cli.ts';
import { Failure, usageFailure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { canAsk } from '../io.ts';
import { printable } from '../output/style.ts';
import { ask } from '../prompts/ask.ts';
import { hidden, secretFromStdin } from '../prompts/password.ts';
import type { Schemas } from '../schemas.ts';
import { type Context, readContexts, writeContexts } from './file.ts';
import { revokeReplaced } from './revoke-replaced.ts';
import { checkedToken } from './token.ts';
import { isReadable, serviceUrl } from './url.ts';

export const login = (cli: Cli) =>
  new Command('login')
    .description(
      'Sign in to a Berth, and remember it as a context. It asks for a token, or creates one after you have signed in with your email address and password.',
    )
    .argument('<url>', 'where the Berth is: https://berth.example')
    .option('--name <name>', 'the name of the context; by default the host')
    .option('--token-stdin', 'read a token from standard input')
    .option('--email <email>', 'sign in with this email address and a password')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (address, { name, tokenStdin, email, passwordStdin }) => {
      const url = serviceUrl(address);
      const { project } = cli.globals;
      if (isReadable(url)) cli.note(`Note: ${url} is not encrypted, so others can read the token.`);
      const { isOwnToken, ...secret } = tokenStdin
        ? { token: await secretFromStdin(cli.io) }
        : await askToken(cli, url, { email, passwordStdin });
      const token = checkedToken(secret.token, 'What was read');
      const berth = connectTo(cli.io, cli.progress, { url, token, project });
      const { data: who } = await berth.GET('/v1/whoami');
      const key = name ?? new URL(url).host;
      const { contexts } = readContexts(cli.io);
      const context = {
        ...{ url, token },
        ...(isOwnToken && { isOwnToken }),
        ...(project !== undefined && { project }),
      };
      writeContexts(cli.io, { current: key, contexts: { ...contexts, [key]: context } });
      const whoThere = printable(`${nameOf(who)}, in the project ${who.project.name}`);
      cli.print(`You are signed in to ${url} as ${whoThere}.`);
      cli.note(`The context is called ${key}.`);
      const before = contexts[key];
      if (before?.isOwnToken && before.token !== token) await revokeReplaced(cli, before);
    });

export const nameOf = ({ user, token_id }: Schemas['Whoami']) =>
  user ? user.email : `token ${token_id}`;

interface Account {
  email?: string | undefined;
  passwordStdin?: boolean | undefined;
}

type Secret = Pick<Context, 'token' | 'isOwnToken'>;

async function askToken(cli: Cli, url: string, { email, passwordStdin }: Account): Promise<Secret> {
  if (email === undefined && passwordStdin) throw usageFailure('--password-stdin needs --email.');
  if (email !== undefined && passwordStdin) {
    return await tokenOfPerson(cli, url, { email, password: await secretFromStdin(cli.io) });
  }
  if (!canAsk(cli.io)) {
    const hint = 'Write it to standard input, and add --token-stdin.';
    throw new Failure('There is no token.', { hint, status: exitStatuses.usage });
  }
  const how = email !== undefined ? 'password' : await askHow(cli);
  if (how === 'token') return { token: await hidden(cli.io, 'Token:') };
  const name =
    email ?? (await ask(cli.io, ({ input }, context) => input({ message: 'Email:' }, context)));
  const password = await hidden(cli.io, 'Password:');
  return await tokenOfPerson(cli, url, { email: name, password });
}

const askHow = ({ io }: Cli) =>
  ask(io, ({ select }, context) =>
    select(
      {
        message: 'How do you sign in?',
        choices: [
          { value: 'token' as const, name: 'with a token' },
          { value: 'password' as const, name: 'with an email address and a password' },
        ],
      },
      context,
    ),
  );

/**
 * Signs in like a browser, creates a token, and signs out. The session would end after hours, and its cookie could do
 * everything that the person can.
 */
async function tokenOfPerson(cli: Cli, url: string, account: Schemas['SignIn']): Promise<Secret> {
  const { io, globals } = cli;
  const berth = createBerth({ url, project: globals.project, signal: io.signal });
  let cookie = '';
  let csrf = '';
  berth.use({
    onRequest: ({ request }) => {
      if (cookie) request.headers.set('Cookie', cookie);
      if (csrf) request.headers.set('Berth-CSRF', csrf);
    },
    onResponse: ({ response }) => {
      const set = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
      const given = set.filter((one) => !one.endsWith('='));
      if (given.length > 0) cookie = given.join('; ');
    },
  });
  const { data: session } = await berth.POST('/v1/session', { body: account });
  csrf = session.csrf_token;
  try {
    return { token: await createToken(berth, session), isOwnToken: true };
  } finally {
    await berth.DELETE('/v1/session').catch((error: unknown) => {
      // The token was created, and the session ends by itself.
      if (!(error instanceof BerthError)) throw error;
    });
  }
}

async function createToken(
  berth: ReturnType<typeof createBerth>,
  session: Schemas['CurrentSession'],
): Promise<string> {
  const { data: who } = await berth.GET('/v1/whoami');
  if (who.scopes.length === 0) {
    throw new Failure(`${session.user.email} may do nothing in ${who.project.name}.`);
  }
  const name = `berth on ${hostname()}`.slice(0, 63);
  const { data } = await berth.POST('/v1/tokens', { body: { name, scopes: who.scopes } });
  return data.token;
}
