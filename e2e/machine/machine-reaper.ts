import { ownerIsGone } from '../../service/src/testing/reaper.ts';
import { removeMachine } from './machine.ts';

// Removes what a machine leaves whose test has ended without doing so itself. The machine ends with its test.

const [directory] = process.argv.slice(2);
if (!directory) throw new TypeError('Name the directory of the machine.');
await ownerIsGone();
await removeMachine(directory);
