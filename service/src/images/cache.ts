import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuiltImage } from './build-debian.ts';

// Built images, kept outside of any installation: the next start on a new data directory, and the next run of the
// tests, take the image instead of building it for minutes. `<directory>/<recipe>/` has the two files of an image.

/** Older images are built again, so that a new installation does not begin without weeks of security updates. */
const longestMilliseconds = 7 * 24 * 60 * 60 * 1000;
const files = { metadataPath: 'meta.tar', rootfsPath: 'rootfs.tar' };

/**
 * Returns the image of `recipe` (a hash) if one was stored within the last week. Otherwise builds
 * it with `build`, and stores a copy. If the cache can't be used, the image is built nevertheless,
 * and `tell` gets the reason.
 * @param directory is created if it does not exist; undefined disables the cache
 */
export async function keptOrBuilt(
  directory: string | undefined,
  recipe: string,
  build: () => Promise<BuiltImage>,
  tell: (text: string) => void,
): Promise<BuiltImage> {
  if (directory === undefined) return await build();
  const isUsable = await attempt(() => prepare(directory), tell);
  const kept = isUsable ? await find(directory, recipe) : undefined;
  if (kept) return kept;
  const built = await build();
  if (isUsable) await attempt(() => keep(directory, recipe, built), tell);
  return built;
}

/** Returns whether it succeeded. */
async function attempt(work: () => Promise<void>, tell: (text: string) => void): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    tell(`no image is kept for the next time: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/** The content becomes the disk of servers, so nobody else may be able to write to it. */
async function prepare(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(directory);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) {
    throw new Error(`${directory} belongs to another user, or others may write to it`);
  }
  const names = await readdir(directory);
  await Promise.all(names.map((name) => removeIfOld(join(directory, name))));
}

/** Copies that a killed process left are removed in the same way. */
async function removeIfOld(path: string): Promise<void> {
  const found = await statIfThere(path);
  // A clock that was set back makes an image seem to be of the future.
  if (found && Math.abs(Date.now() - found.mtimeMs) > longestMilliseconds) {
    await rm(path, { recursive: true, force: true });
  }
}

async function find(directory: string, recipe: string): Promise<BuiltImage | undefined> {
  const found = await statIfThere(join(directory, recipe));
  return found && pathsIn(join(directory, recipe));
}

/** Another process may have put it in its place, or removed it. */
async function statIfThere(path: string) {
  return await stat(path).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Copied to a temporary name first, so that there are no partial images. */
async function keep(directory: string, recipe: string, built: BuiltImage): Promise<void> {
  const partial = await mkdtemp(join(directory, 'partial-'));
  try {
    const copy = pathsIn(partial);
    await copyFile(built.metadataPath, copy.metadataPath, constants.COPYFILE_FICLONE);
    await copyFile(built.rootfsPath, copy.rootfsPath, constants.COPYFILE_FICLONE);
    await rename(partial, join(directory, recipe));
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another process has stored the same image first.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
  }
}

const pathsIn = (directory: string): BuiltImage => ({
  metadataPath: join(directory, files.metadataPath),
  rootfsPath: join(directory, files.rootfsPath),
});
