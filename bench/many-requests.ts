import { Agent } from 'node:http';
import { ask } from './latency.ts';

// Keeps so many requests in progress, each for the next one of the paths, until it gets SIGTERM. Then it prints the
// number of responses by status. It is a separate process, so that its work does not slow down the measurement.

const [url = '', token = '', atOnce = '', ...paths] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(atOnce) });
const counts: Record<string, number> = {};
let asked = 0;

async function goOn(): Promise<never> {
  for (;;) {
    const path = paths[asked % paths.length] ?? '';
    asked += 1;
    const outcome = String(await ask(`${url}${path}`, token, agent).catch(() => 'failed'));
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
}

process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify(counts));
  process.exit();
});
await Promise.all(Array.from({ length: Number(atOnce) }, goOn));
