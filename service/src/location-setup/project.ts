import type { IncusClient } from '../incus/client.ts';
import { isEngineError } from '../incus/transport/errors.ts';

/** Creates the Incus project of a location's servers, unless it exists. */
export async function ensureProject(
  { projects }: Pick<IncusClient, 'projects'>,
  name: string,
  say: (text: string) => void,
  config: Record<string, string> = {},
): Promise<void> {
  if (await projects.get(name)) return;
  say(`Creating the project ${name} in Incus`);
  await unlessExists(
    projects.create({
      name,
      description: 'Servers of Berth. Change them through Berth only.',
      config: {
        'features.images': 'true',
        'features.profiles': 'true',
        'features.networks': 'false',
        'features.storage.volumes': 'true',
        ...config,
      },
    }),
  );
}

/** Ignores that the project exists, because somebody else may have created it first. */
export async function unlessExists(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isEngineError(error, 'already_exists')) throw error;
  }
}
