import { existsSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { sendSignal } from '../service/src/testing/processes.ts';
import { ownerIsGone } from '../service/src/testing/reaper.ts';
import { until } from '../service/src/testing/until.ts';
import { graceMs } from './play.ts';
import { isGroupRunning } from './process-group.ts';

// Ends the processes of a part, and removes its directory, if the run has ended before that: see play.ts.

const [directory = '', id = ''] = process.argv.slice(2);
const group = Number(id);
if (!/^berth-suite-\w{6}$/.test(basename(directory)))
  throw new Error(`"${directory}" is not a directory of a part.`);
if (!Number.isSafeInteger(group) || group <= 1) throw new Error(`"${id}" is not a process group.`);

await ownerIsGone();
if (existsSync(directory)) {
  sendSignal(-group, 'SIGTERM');
  try {
    await until(
      'the part has ended',
      () => isGroupRunning(group),
      (isRunning) => !isRunning,
      graceMs / 1000,
    );
  } catch {
    sendSignal(-group, 'SIGKILL');
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
}
