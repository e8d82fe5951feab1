import { items } from '@berth/client';
import type { Cli } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { collect } from '../verbs/collect.ts';

const folded = (text: string) => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** The slug of an operating system that is given by its whole name, such as "Debian 12". The service judges anything else. */
export async function osNamed(cli: Cli, given: string): Promise<string> {
  // A slug has no spaces, and a whole name has.
  if (!/\s/.test(given.trim())) return given;
  const systems = await collect(items(cli.berth(), '/v1/operating-systems'));
  const wanted = folded(given);
  const [found, ...others] = systems.filter((os) => folded(`${os.name} ${os.version}`) === wanted);
  if (others.length > 0) {
    const slugs = [found, ...others].flatMap((os) => os?.slug ?? []);
    throw usageFailure(
      `Several operating systems are called ${given}.`,
      `Give one of ${slugs.join(', ')}.`,
    );
  }
  return found?.slug ?? given;
}

export const osIfNamed = async (cli: Cli, given: string | undefined) =>
  given === undefined ? undefined : await osNamed(cli, given);
