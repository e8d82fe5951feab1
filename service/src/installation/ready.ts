import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';

const lookAgainMs = 500;
const longestAnswerMs = 5000;

type Asked = Pick<Config, 'host' | 'port' | 'shell'>;

/** Waits until the service of these settings says that it is ready. Answers whether it did in time. */
export async function becomesReady(config: Asked, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  for (;;) {
    if (await isReady(config)) return true;
    if (Date.now() > end) return false;
    await sleep(lookAgainMs);
  }
}

/** On this machine, whichever name the service goes by. */
async function isReady({ host, port, shell }: Asked): Promise<boolean> {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const options = {
    host: everywhere[host] ?? host,
    port,
    path: '/v1/health/ready',
    timeout: longestAnswerMs,
    headers: { host: shell.allowedHosts[0] ?? host },
    // It is for that name, and this is the machine itself.
    rejectUnauthorized: false,
    agent: false,
  };
  return await new Promise((resolve) => {
    const asked = (shell.tls ? overHttps : overHttp)(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy(new Error('It does not answer.')));
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
