import { get } from 'node:http';

// Subscribes to all events so many times, and prints how many milliseconds after its transaction wrote it each event
// arrived. It is a separate process, so that its work does not slow down the service, though the two share the machine.

const [port = '', token = '', count = ''] = process.argv.slice(2);
const delays: number[] = [];
let open = 0;

function take(text: string): void {
  const now = Date.now();
  for (const [, at = ''] of text.matchAll(/"at":"([^"]+)"/g)) delays.push(now - Date.parse(at));
}

function subscribe(): void {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const options = { host: '127.0.0.1', port: Number(port), path: '/v1/events', headers };
  const request = get({ ...options, agent: false }, (response) => {
    if (response.statusCode !== 200)
      throw new Error(`A stream was refused: ${response.statusCode}`);
    open += 1;
    // An event has less than a kilobyte, and arrives whole.
    response.setEncoding('utf8').on('data', take);
    response.on('end', () => {
      open -= 1;
    });
  });
  request.on('error', (error) => {
    throw error;
  });
}

for (let number = 0; number < Number(count); number += 1) setTimeout(subscribe, number * 2);
process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify({ open, delays }), () => process.exit());
});
