import { call } from './call.ts';

// Creates and revokes tokens all the time, as fast as the service allows. It is a separate process, so that its work
// does not slow down the measurement. When it gets SIGTERM, it prints the number of responses by status.

const [url = '', token = '', atOnce = ''] = process.argv.slice(2);
const counts: Record<string, number> = {};

async function ask(method: string, path: string, body?: object) {
  const { status, answer } = await call({ url, token }, method, path, body);
  counts[status] = (counts[status] ?? 0) + 1;
  return { status, answer };
}

async function goOn(): Promise<never> {
  for (;;) {
    const body = { name: 'cancelled', scopes: ['servers:read'] };
    const { status, answer } = await ask('POST', '/v1/tokens', body);
    if (status === 201) await ask('DELETE', `/v1/tokens/${answer.id}`);
  }
}

process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify(counts));
  process.exit();
});
await Promise.all(Array.from({ length: Number(atOnce) }, goOn));
