import { Failure, usageFailure } from '../errors/failure.ts';
import { nearest } from '../errors/nearest.ts';
import { exitStatuses } from '../exit-statuses.ts';
import type { Io } from '../io.ts';
import { type Context, contextsFile, readContexts } from './file.ts';
import { checkedToken } from './token.ts';
import { serviceUrl } from './url.ts';

/**
 * The service that a command is about. A context that the command names has precedence over BERTH_URL and BERTH_TOKEN,
 * and these have precedence over the current context. The token of a context is only ever sent to the service of this
 * context.
 */
export function chooseContext(io: Pick<Io, 'env'>, named?: string): Context {
  if (named !== undefined) return namedContext(io, named);
  const { BERTH_URL: given } = io.env;
  const token = io.env.BERTH_TOKEN ? checkedToken(io.env.BERTH_TOKEN, 'BERTH_TOKEN') : undefined;
  const url = given ? serviceUrl(given) : undefined;
  if (url && token) return { url, token };
  const stored = currentContext(io);
  if (token && stored) return { url: stored.url, token };
  if (stored && (!url || url === stored.url)) return stored;
  if (url) {
    throw notSignedIn(
      `There is no token for ${url}.`,
      `Set BERTH_TOKEN, or run: berth login ${url}`,
    );
  }
  if (token) throw notSignedIn('BERTH_TOKEN is set, but not for which service.', 'Set BERTH_URL.');
  throw notSignedIn('You are not signed in.', 'Run "berth login URL", with the URL of your Berth.');
}

/** The URL of the service, for what needs no token. */
export function serviceUrlOf(io: Pick<Io, 'env'>, named?: string): string {
  const { BERTH_URL: given } = io.env;
  return given && named === undefined ? serviceUrl(given) : chooseContext(io, named).url;
}

const notSignedIn = (message: string, hint: string) =>
  new Failure(message, { hint, status: exitStatuses.not_signed_in });

const namedContext = (io: Pick<Io, 'env'>, named: string): Context =>
  readContexts(io).contexts[named] ?? refuseContext(io, named);

function currentContext(io: Pick<Io, 'env'>): Context | undefined {
  const { current, contexts } = readContexts(io);
  return current === null ? undefined : contexts[current];
}

export function refuseContext(io: Pick<Io, 'env'>, named: string): never {
  const names = Object.keys(readContexts(io).contexts);
  const meant = nearest(named, names);
  const known = names.length > 0 ? `The contexts are ${names.join(', ')}.` : undefined;
  throw usageFailure(
    `There is no context ${named} in ${contextsFile(io)}.${meant ? ` Did you mean ${meant}?` : ''}`,
    known ?? 'Run "berth login URL" to create one.',
  );
}
