import { open, rm } from 'node:fs/promises';
import { SetupError } from '../../../setup/commands.mjs';

/**
 * Makes a file that only its owner can read (mode 0600), and hands out what puts a line into it. It
 * is there before there is a secret, so that none is made that can't be kept, and goes when `use`
 * throws. Throws `SetupError` where it can't be made, also since it is there already.
 */
export async function withSecretFile<T>(
  path: string,
  use: (write: (secret: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const file = await open(path, 'wx', 0o600).catch((error) => {
    throw refusal(path, error);
  });
  try {
    return await use(async (secret) => {
      try {
        await file.writeFile(`${secret}\n`);
        await file.sync();
      } catch (error) {
        throw refusal(path, error);
      }
    });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function refusal(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  if (error.code === 'EEXIST') {
    return new SetupError(
      `${path} already exists.`,
      'Choose another file, or remove this one first. Files are not overwritten.',
    );
  }
  return new SetupError(`${path} can't be written (${error.code}).`, 'Choose another file.');
}
