import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';

const lookAgainMs = 500;
const longestAnswerMs = 5000;

export type Asked = Pick<Config, 'host' | 'port'> & {
  shell: Pick<Config['shell'], 'allowedHosts' | 'tls'>;
};

/** Waits until the service with these settings is ready. Returns whether it was ready in time. */
export async function becomesReady(config: Asked, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  for (;;) {
    const answer = await askService(config, '/v1/health/ready');
    if (typeof answer === 'object' && answer.status === 200) return true;
    if (Date.now() > end) return false;
    await sleep(lookAgainMs);
  }
}

/** `none`: nothing listens there. `silent`: there was no complete response in time. */
type Answer = { status: number | undefined; body: string } | 'none' | 'silent';

/** Errors of connect(2) and getaddrinfo(3). */
const nobodyListens = /^(ECONNREFUSED|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Sends a request to the service on this machine, whatever its host name is. */
export async function askService(
  { host, port, shell }: Asked,
  path: string,
  longestMs = longestAnswerMs,
): Promise<Answer> {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const options = {
    host: everywhere[host] ?? host,
    port,
    path,
    timeout: longestMs,
    // A service of a previous release answers only requests with these names.
    headers: { host: shell.allowedHosts[0] ?? host },
    // The certificate is for the host name, and the connection is local.
    rejectUnauthorized: false,
    agent: false,
  };
  return await new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) =>
      resolve(nobodyListens.test(error.code ?? '') ? 'none' : 'silent');
    const asked = (shell.tls ? overHttps : overHttp)(options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), failed);
    });
    asked.on('timeout', () => asked.destroy(new Error('It does not answer.')));
    asked.on('error', failed);
    asked.end();
  });
}
