import { Agent, request } from 'node:http';

// Sends requests at a steady rate, whatever the answers are, until it gets SIGTERM, and then prints
// the number of each status. It is a separate process, so that its work does not slow down the
// measurement.

const [url = '', token = '', reads = '', actions = ''] = process.argv.slice(2);
const tickMs = 5;
const agent = new Agent({ keepAlive: true, maxSockets: 50 });
const counts: Record<string, number> = {};
const began = performance.now();

/** Keeps the rate even if a tick is late. */
function keepPace(perSecond: number, method: string, path: string): void {
  let sent = 0;
  setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
    for (; sent < due; sent += 1) ask(method, path);
  }, tickMs);
}

function ask(method: string, path: string): void {
  const headers = { authorization: `Bearer ${token}` };
  const asked = request(`${url}${path}`, { method, agent, headers }, (answer) => {
    answer.resume();
    count(`${method} ${answer.statusCode}`);
  });
  asked.once('error', () => count(`${method} failed`));
  asked.end();
}

function count(outcome: string): void {
  counts[outcome] = (counts[outcome] ?? 0) + 1;
}

keepPace(Number(reads), 'GET', '/v1/locations');
keepPace(Number(actions), 'DELETE', '/v1/servers/1');
process.once('SIGTERM', () => {
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(JSON.stringify({ seconds, counts }));
  process.exit();
});
