import { usageFailure } from '../errors/failure.ts';
import type { Schemas } from '../schemas.ts';
import { defined, diskSize, memory, whole } from '../verbs/options.ts';
import { serverAction } from './action.ts';

export const resize = serverAction({
  name: 'resize',
  summary: 'Change the size of servers',
  about: 'It takes effect at once, also while they run. A disk can only grow.',
  done: 'has its new size',
  options: (command) =>
    command
      .option('--cpu <cores>', 'the number of CPU cores', whole)
      .option('--ram <amount>', 'the memory: 2048 (MiB) or 2G', memory)
      .option('--disk <amount>', 'the disk: 20 (GiB) or 20G', diskSize),
  request: (berth, params, { cpu, ram, disk }) => {
    const body = defined({ cpu, ram, disk });
    if (Object.keys(body).length === 0) {
      throw usageFailure('The new size is missing.', 'Add --cpu, --ram or --disk.');
    }
    return berth.POST('/v1/servers/{id}/resize', { params, body: body as Schemas['ServerResize'] });
  },
});
