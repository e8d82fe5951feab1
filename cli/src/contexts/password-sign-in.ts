import { hostname } from 'node:os';
import { BerthError, createBerth } from '@berth/client';
import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import type { Schemas } from '../schemas.ts';

/**
 * Signs in like a browser, creates a token, and signs out. The session would end after hours, and its cookie could do
 * everything that the person can.
 */
export async function tokenOfPerson(
  { io, globals }: Cli,
  url: string,
  account: Schemas['SignIn'],
): Promise<string> {
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
    return await createToken(berth, session);
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
