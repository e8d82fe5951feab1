import { usageFailure } from '../errors/failure.ts';
import { defined, diskSize, memory, whole } from '../verbs/options.ts';
import { serverAction } from './action.ts';

export const resize = serverAction({
  name: 'resize',
  summary: 'Change the size of servers',
  about: 'It takes effect at once, also while they run. A disk can only grow.',
  done: 'has its new size',
  options: (command) =>
    command
      .option('--size <size>', 'a size of "berth size list", instead of --cpu, --ram and --disk')
      .option('--keep-disk', 'keep the disk as it is, although that of the size is larger')
      .option('--allow-move', 'move to another node if there is no room; it restarts the server')
      .option('--cpu <cores>', 'the number of CPU cores', whole)
      .option('--ram <amount>', 'the memory: 2048 (MiB) or 2G', memory)
      .option('--disk <amount>', 'the disk: 20 (GiB) or 20G', diskSize),
  request: (berth, params, { size, keepDisk, allowMove, cpu, ram, disk }) => {
    const wanted = defined({ size, cpu, ram, disk });
    if (Object.keys(wanted).length === 0) {
      throw usageFailure('The new size is missing.', 'Add --size, or --cpu, --ram or --disk.');
    }
    const body = { ...wanted, ...defined({ keep_disk: keepDisk, allow_move: allowMove }) };
    return berth.POST('/v1/servers/{id}/resize', { params, body });
  },
});
