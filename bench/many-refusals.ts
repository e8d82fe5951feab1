import { Agent, request } from 'node:http';

// Sends requests that are refused, from 250 addresses: with a token that may only read, to as many routes as possible,
// and sign-ins with an unknown passkey. It is a separate process, so that its work does not slow down the measurement.
// When it gets SIGTERM, it prints the number of responses by status.

const [port = '', token = ''] = process.argv.slice(2);
const addresses = 250;
const atOnce = 20;
const authorization = `Bearer ${token}`;
const passkey = JSON.stringify({
  ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key' },
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
});
/** Of which there are more than an entry of its own is made for. */
const routes = [
  ...['start', 'stop', 'restart', 'pause', 'unpause', 'suspend', 'unsuspend', 'retry'].map(
    (action) => `POST /v1/servers/ID/${action}`,
  ),
  ...['evacuate', 'restore', 'cordon', 'uncordon'].map((action) => `POST /v1/nodes/ID/${action}`),
  ...['servers', 'ssh-keys', 'tokens', 'users', 'projects', 'address-pools'].flatMap((noun) => [
    `POST /v1/${noun}`,
    `DELETE /v1/${noun}/ID`,
  ]),
];
const agents = Array.from(
  { length: addresses },
  (_, at) => new Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.0.2.${at + 1}` }),
);
const counts: Record<string, number> = {};
let sent = 0;

async function send(): Promise<void> {
  const number = sent++;
  const isSignIn = number % 2 === 0;
  const [method = '', path = ''] = isSignIn
    ? ['POST', '/v1/session/passkey']
    : (routes[number % routes.length] ?? '').replace('ID', String(number)).split(' ');
  const headers = isSignIn ? { 'content-type': 'application/json' } : { authorization };
  const outcome = await new Promise<string>((resolve) => {
    const options = { port, host: '127.0.0.1', method, path, headers };
    request({ ...options, agent: agents[number % addresses] }, (answer) => {
      answer.resume().once('close', () => resolve(String(answer.statusCode)));
    })
      .once('error', () => resolve('failed'))
      .end(isSignIn ? passkey : undefined);
  });
  counts[outcome] = (counts[outcome] ?? 0) + 1;
}

async function goOn(): Promise<never> {
  for (;;) await send();
}

process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify(counts));
  process.exit();
});
await Promise.all(Array.from({ length: atOnce }, goOn));
