import { inspect } from 'node:util';
import { explain, SetupError } from '../../setup/commands.mjs';
import { loadConfig } from './config/config.ts';
import { endOnFault, Fault } from './faults.ts';
import { Interrupted, listenForInterruption } from './interruption.ts';
import { startService } from './start.ts';
import { welcome } from './welcome.ts';

// Nobody reads the output any more, or the disk is full. The service continues without output.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const say = (text: string) => process.stdout.write(`• ${text}\n`);
const isSimulated = process.argv.includes('--simulated');
const andServers = isSimulated ? '' : '; the servers run on';

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

const interruption = listenForInterruption(say);
const { signal } = interruption;
try {
  const config = loadConfig();
  endOnFault(config, interruption.stop);
  const service = await startService(config, say, interruption);
  process.stdout.write(
    welcome(service, { isSimulated, isTerminal: process.stdout.isTTY === true }),
  );
  await aborted(signal);
  if (signal.reason instanceof Fault) say(signal.reason.message);
  say(`Stopping: open requests are finished first${andServers}.`);
  await service.stop();
  say('Stopped.');
  if (signal.reason instanceof Fault)
    say('Start Berth again. Operations continue where they were.');
} catch (error) {
  process.exitCode = 1;
  if (error instanceof SetupError) explain(error);
  else if (error instanceof Interrupted) say(`${error.message} before it was ready.`);
  else if (error instanceof Fault) say(error.message);
  // What was still running has lost its database.
  else if (interruption.isSkipping) say('The rest of the stop was skipped.');
  else process.stderr.write(`\nBerth failed unexpectedly:\n${inspect(error)}\n`);
}
// Exits at once, because Node.js no longer handles signals during its exit, and npm may pass on Ctrl-C late.
process.exit();
