import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildDebian, debianRecipe } from '../images/build-debian.ts';
import { keptOrBuilt } from '../images/cache.ts';

/** Builds the image for the first start in advance, because the user of the service has no right to build it. */
export async function buildFirstImage(
  directory: string,
  say: (text: string) => void,
): Promise<void> {
  const { signal } = new AbortController();
  const workDir = await mkdtemp(join(dirname(directory), 'build-'));
  let shown = '';
  const onProgress = (_fraction: number, doing: string) => {
    if (doing !== shown) say(`Image of Debian 12: ${doing}`);
    shown = doing;
  };
  try {
    const build = () => buildDebian({ workDir, onProgress, signal });
    await keptOrBuilt(directory, await debianRecipe(signal), build, say);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
