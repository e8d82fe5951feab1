import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Cli } from '../cli.ts';
import { Failure, usageFailure } from '../errors/failure.ts';
import { canAsk, type Io } from '../io.ts';
import { printable } from '../output/style.ts';
import { ask } from '../prompts/ask.ts';
import { readStdin } from '../prompts/stdin.ts';

interface Given {
  file?: string | undefined;
  publicKey?: string | undefined;
}

/** The public key that is given as text, in a file or on standard input, or one of this machine that somebody chooses. */
export async function readPublicKey(cli: Cli, { file, publicKey }: Given): Promise<string> {
  if (file !== undefined && publicKey !== undefined) {
    throw usageFailure('Give either --file or --public-key.');
  }
  return checked(
    publicKey ?? (file === undefined ? await chosen(cli) : await content(cli.io, file)),
  );
}

/** Refuses a private key, which must not be sent to anybody. The error does not repeat it. */
function checked(text: string): string {
  if (/PRIVATE KEY-----|^PuTTY-User-Key-File/m.test(text)) {
    throw usageFailure(
      'This is a private key, and nothing was sent. It must stay on your machine.',
      'Give the public key, which is usually in the file of the same name with .pub.',
    );
  }
  const key = text.trim();
  if (key === '') throw usageFailure('The public key is empty.');
  return key;
}

async function content(io: Io, file: string): Promise<string> {
  if (file === '-') return (await readStdin(io)).toString();
  return await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`The key can't be read: ${error.message}`);
  });
}

const ways = 'Add --file ~/.ssh/id_ed25519.pub, --file - for standard input, or --public-key.';

async function chosen({ io }: Cli): Promise<string> {
  if (!canAsk(io)) throw usageFailure('The public key is missing.', ways);
  const folder = join(io.env.HOME || homedir(), '.ssh');
  const keys = await keysIn(folder);
  if (keys.length === 0) {
    throw usageFailure(
      `There is no public key in ${folder}.`,
      `${ways}\n"ssh-keygen -t ed25519" makes a key.`,
    );
  }
  return await ask(io, ({ select }, context) =>
    select({ message: 'Public key:', choices: keys }, context),
  );
}

async function keysIn(folder: string) {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Failure(`The keys in ${folder} can't be read: ${error.message}`);
  });
  const own = names.filter((name) => name.endsWith('.pub')).sort();
  return await Promise.all(
    own.map(async (name) => {
      const value = (await readFile(join(folder, name), 'utf8')).trim();
      const [type = '', , comment = ''] = value.split(/\s+/);
      return { value, name: printable(`${name}  ${type} ${comment}`.trimEnd()) };
    }),
  );
}
