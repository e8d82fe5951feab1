import { Agent, request } from 'node:http';

// Signs in with an unknown email address and a wrong password from forty addresses, which are more than the passwords that
// can wait to be hashed. It is a separate process, so that its work does not slow down the measurement. When it gets
// SIGTERM, it prints the number of responses by status.

const [port = ''] = process.argv.slice(2);
const addresses = 40;
const headers = { 'content-type': 'application/json' };
const counts: Record<string, number> = {};
let sent = 0;

async function send(agent: Agent): Promise<void> {
  const body = { email: `nobody-${sent++}@example.com`, password: 'not-the-password-of-anybody' };
  const outcome = await new Promise<string>((resolve) => {
    const options = { port, host: '127.0.0.1', method: 'POST', path: '/v1/session', headers };
    request({ ...options, agent }, (answer) => {
      answer.resume().once('close', () => resolve(String(answer.statusCode)));
    })
      .once('error', () => resolve('failed'))
      .end(JSON.stringify(body));
  });
  counts[outcome] = (counts[outcome] ?? 0) + 1;
}

async function goOn(_: unknown, at: number): Promise<never> {
  const localAddress = `127.0.3.${at + 1}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress });
  for (;;) await send(agent);
}

process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify(counts));
  process.exit();
});
await Promise.all(Array.from({ length: addresses }, goOn));
