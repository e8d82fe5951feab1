import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '../errors/failure.ts';
import type { Io } from '../io.ts';

/** A service, and how to sign in to it. */
export interface Context {
  url: string;
  token: string;
  /** Whether `berth login` has created the token, so that nothing else uses it. */
  isOwnToken?: true;
  /** The project that requests are about, if it is not the one of the token. */
  project?: string;
}

export interface Contexts {
  /** The name of the context that is used unless another one is named. */
  current: string | null;
  contexts: Record<string, Context>;
}

export const contextsFile = ({ env }: Pick<Io, 'env'>) =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'berth', 'contexts.json');

export function readContexts(io: Pick<Io, 'env'>): Contexts {
  const path = contextsFile(io);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Contexts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, contexts: {} };
    throw new Failure(`The contexts in ${path} can't be read: ${(error as Error).message}`, {
      hint: 'Correct the file, or remove it and sign in again with "berth login URL".',
    });
  }
}

/** Only the owner can read the file, because it has tokens. */
export function writeContexts(io: Pick<Io, 'env'>, contexts: Contexts): void {
  const path = contextsFile(io);
  const written = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(written, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
    // The mode of `writeFileSync` does not apply to a file that exists.
    chmodSync(written, 0o600);
    renameSync(written, path);
  } catch (error) {
    rmSync(written, { force: true });
    throw new Failure(`The contexts can't be written to ${path}: ${(error as Error).message}`);
  }
}
