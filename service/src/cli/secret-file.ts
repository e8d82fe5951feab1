import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SetupError } from '../../../setup/commands.mjs';
import { fileTrouble } from '../lib/system-errors.ts';

/**
 * Creates a file that only its owner can read (mode 0600), and passes a function that writes a line
 * to it. The file exists before the secret, so that no secret is created that can't be stored; it
 * is deleted if `use` throws. Throws `SetupError` if it can't be created, also because it exists
 * already.
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
  if (error.code === 'ENOENT') {
    const failed = `${path} can't be written: the folder ${dirname(path)} does not exist.`;
    return new SetupError(failed, 'Create it, or choose another file.');
  }
  const trouble = fileTrouble(error);
  if (!trouble) return error;
  const failed = `${path} can't be written: it ${trouble.failed} (${trouble.code}).`;
  return new SetupError(failed, `Choose another file. ${trouble.wayOut}`);
}
