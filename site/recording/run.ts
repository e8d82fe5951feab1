import { writeFile } from 'node:fs/promises';
import { record, slow } from './session.ts';
import { toSvg } from './svg.ts';

// `npm run recording` makes docs/recording.svg: it runs a session of `berth` on the simulator, and draws what a terminal
// shows. A test fails if the commands print something else by now.

const file = new URL('../../docs/recording.svg', import.meta.url);

const recording = await record(slow);
const svg = toSvg(recording);
await writeFile(file, svg);
console.log(recording.transcript.join('\n'));
console.log(`\ndocs/recording.svg: ${recording.frames.length} frames, ${svg.length} bytes`);
