import { setTimeout as sleep } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';

const maxAttempts = 60;

/**
 * Retries a request as a client should: on a busy machine, many concurrent requests do not all get
 * a connection to the database in time.
 */
export async function patiently(
  ask: () => Promise<LightMyRequestResponse>,
): Promise<LightMyRequestResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask();
    if (answer.statusCode !== 503 || attempt === maxAttempts) return answer;
    await sleep(Number(answer.headers['retry-after']) * 100);
  }
}
