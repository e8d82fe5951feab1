import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './statistics.ts';

const everyMs = 12;

/** A client that requests a list repeatedly. Returns the p99 in milliseconds. */
export async function slowestPercent(
  { url, token }: { url: string; token: string },
  requests: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const taken: number[] = [];
  for (let request = 0; request < requests; request += 1) {
    const start = performance.now();
    const status = await ask(`${url}/v1/locations`, token, agent);
    if (status !== 200) throw new Error(`The measuring client was answered ${status}.`);
    taken.push(performance.now() - start);
    await sleep(everyMs);
  }
  agent.destroy();
  return percentile(taken, 0.99);
}

export function ask(url: string, token: string, agent: Agent): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    }).once('error', reject);
  });
}
