import { globSync } from 'node:fs';
import { join } from 'node:path';
import { imageAlias } from '../service/src/operating-systems/images.ts';

// The image that one run has built, for the next: a build takes minutes.

const alias = imageAlias('debian-12');
const directory = process.env.BERTH_TEST_IMAGES;

/** Runs Incus's own client on a project, and throws when it fails. */
type Incus = (args: string[]) => unknown;

/** Keeps the image in the directory `BERTH_TEST_IMAGES`, if there is one. */
export async function keepImage(incus: Incus): Promise<void> {
  if (directory) await incus(['image', 'export', alias, join(directory, alias)]);
}

/** Gives a project the image that was kept, if there is one. */
export async function useKeptImage(incus: Incus): Promise<void> {
  // The file that describes it, and the one of its disk, which is called after that.
  const files = directory ? globSync(join(directory, `${alias}*`)).sort() : [];
  if (files.length > 0) await incus(['image', 'import', ...files, '--alias', alias]);
}
