import { ConfigError, loadConfig } from './config.ts';
import { DataDirectoryInUseError } from './db/embedded.ts';
import { type RunningService, startService } from './start.ts';

const say = (text: string) => process.stdout.write(`• ${text}\n`);

/** Whatever stops a start is said in words; a stack only where the words are not ours. */
function explain(error: unknown): void {
  const isOurs = error instanceof ConfigError || error instanceof DataDirectoryInUseError;
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(`\nBerth did not start: ${words}\n`);
  if (!isOurs && error instanceof Error) process.stderr.write(`${error.stack}\n`);
}

function welcome({ url, adminToken, adminTokenPath, isFirstStart }: RunningService): void {
  const token = isFirstStart ? adminToken : `$(cat ${adminTokenPath})`;
  process.stdout.write(`
Berth listens on ${url}   (documentation: ${url}/docs)

Your first server:

  TOKEN=${token}
  curl -sX POST ${url}/v1/servers -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"name": "first", "location_id": 1, "os_id": 1, "password": "choose-1-yourself",
         "initialCommands": ["echo hello > /root/hello"], "cpu": 1, "ram": 512, "disk": 5}'
  curl -s ${url}/v1/servers/1/status -H "Authorization: Bearer $TOKEN"    # again, until progress is 100
  ssh root@$(curl -s ${url}/v1/servers/1 -H "Authorization: Bearer $TOKEN" | grep -o '"ip":"[0-9.]*"' | cut -d'"' -f4)

The token is kept in ${adminTokenPath}. Ctrl-C stops Berth; the servers run on.
`);
}

/** Aborted by the first Ctrl-C, which also ends a start in its midst; a second one ends us at once. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => interrupted.abort(new Error(`It was stopped (${name}).`)));
  }
  return interrupted.signal;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

try {
  const signal = interruption();
  const service = await startService(loadConfig(), say, signal);
  welcome(service);
  await aborted(signal);
  say('Stopping: open requests are finished first; the servers run on.');
  await service.stop();
  say('Stopped.');
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
