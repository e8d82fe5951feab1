import type { Cli } from '../cli.ts';

/** The project that a command is about: that of `--project` and the context, or that of the token. */
export async function ownProject(cli: Cli): Promise<string> {
  const { data } = await cli.berth().GET('/v1/whoami');
  return String(data.project.id);
}
