import { inspect } from 'node:util';
import { explain, SetupError } from '../../setup/commands.mjs';
import { loadConfig } from './config.ts';
import { endOnFault, Fault } from './faults.ts';
import { type RunningService, startService } from './start.ts';
import type { AdminToken } from './tokens/admin.ts';

// Nobody listens any more, or the disk is full: no reason to end.
process.stdout.on('error', () => undefined);
const say = (text: string) => process.stdout.write(`• ${text}\n`);

function welcome({ url, admin, hasLocation }: RunningService): void {
  process.stdout.write(`\nBerth listens on ${url}   (documentation: ${url}/docs)\n`);
  if (!hasLocation) process.stdout.write(noLocation);
  process.stdout.write(admin ? firstServer(url, admin) : elsewhere);
}

/** Never the token itself: what is printed stands in the journal, or in the log of a container, for long. */
function firstServer(url: string, { path }: AdminToken): string {
  return `
Your first server:

  TOKEN=$(cat ${quoted(path)})
  curl -sX POST ${url}/v1/servers -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"name": "first", "location_id": 1, "os_id": 1, "password": "choose-1-yourself",
         "initialCommands": ["echo hello > /root/hello"], "cpu": 1, "ram": 512, "disk": 5}'
  curl -s ${url}/v1/servers/1/status -H "Authorization: Bearer $TOKEN"    # again, until progress is 100
  ssh root@$(curl -s ${url}/v1/servers/1 -H "Authorization: Bearer $TOKEN" | grep -o '"ip":"[0-9.]*"' | cut -d'"' -f4)

The token is kept in ${path}, which only its owner can read. Ctrl-C stops Berth; the servers run on.
`;
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const noLocation = `
There is no location yet, and so no place for servers. Add one: npm run location -- --help
`;

const elsewhere = `
The service that was started first on this database keeps the admin token. Make others with
"npm run token". Ctrl-C stops this service; the servers run on.
`;

class Interrupted extends Error {
  constructor(signal: string) {
    super(`Berth was stopped (${signal})`);
  }
}

/** Aborted by the first Ctrl-C, or by the end of who started us, which also ends a start in its midst; a second one ends us at once. */
function interruption(): AbortController {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => interrupted.abort(new Interrupted(name)));
  }
  // Who started us and holds a channel to us is gone, or closes it to have us stop.
  process.once('disconnect', () => interrupted.abort(new Interrupted('disconnected')));
  process.channel?.unref();
  return interrupted;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

try {
  const config = loadConfig();
  const interrupted = interruption();
  const { signal } = interrupted;
  endOnFault(config, (fault) => interrupted.abort(fault));
  const service = await startService(config, say, signal);
  welcome(service);
  await aborted(signal);
  if (signal.reason instanceof Fault) say(signal.reason.message);
  say('Stopping: open requests are finished first; the servers run on.');
  await service.stop();
  say('Stopped.');
  if (signal.reason instanceof Fault) say('Start Berth again: it goes on where it was.');
} catch (error) {
  process.exitCode = 1;
  if (error instanceof SetupError) explain(error);
  else if (error instanceof Interrupted) say(`${error.message} before it was ready.`);
  else if (error instanceof Fault) say(error.message);
  else process.stderr.write(`\nBerth failed, in a way that was not foreseen:\n${inspect(error)}\n`);
}
