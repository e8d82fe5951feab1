import { randomBytes } from 'node:crypto';
import { call } from './call.ts';

// Creates servers whose initial commands print as much as is stored, and deletes them. It is a separate process, so that
// its work does not slow down the measurement. When it gets SIGTERM, it prints the number of responses by status.

const [url = '', token = '', atOnce = ''] = process.argv.slice(2);
/** With more commands of this length, the body would be too large. */
const commands = 62;
/** Random bytes, which hardly compress. As base64, they are nearly as long as a command may be. */
const bytesOfOutput = 3066;
const counts: Record<string, number> = {};
let created = 0;

async function ask(method: string, path: string, body?: object) {
  const { status, answer } = await call({ url, token }, method, path, body);
  const outcome = `${method} ${status}`;
  counts[outcome] = (counts[outcome] ?? 0) + 1;
  return { status, answer };
}

async function goOn(): Promise<never> {
  for (;;) {
    const { status, answer } = await ask('POST', '/v1/servers', {
      ...{ name: `printing-${created++}`, location_id: 'local', os_id: 'debian-12' },
      ...{ cpu: 1, ram: 512, disk: 4, password: randomBytes(12).toString('hex') },
      initialCommands: Array.from(
        { length: commands },
        () => `echo ${randomBytes(bytesOfOutput).toString('base64')}`,
      ),
    });
    if (status === 201) await ask('DELETE', `/v1/servers/${answer.id}`);
  }
}

process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify(counts));
  process.exit();
});
await Promise.all(Array.from({ length: Number(atOnce) }, goOn));
