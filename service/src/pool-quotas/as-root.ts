import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { isRoot } from '../../../setup/commands.mjs';
import { perform, type RootCall, timeoutMilliseconds } from './commands.ts';

/** The socket of the helper that serves a service which does not run as root; see `serve.ts`. */
export const helperSocket = '/run/berth-pools/socket';

/** The result of a call: its output, or why it failed. */
export type Answer = { printed: string } | { failed: string };

const hasHelper = () => existsSync(helperSocket);

/** Whether calls that need root are possible. */
export const canAsRoot = () => isRoot() || hasHelper();

/**
 * Runs a call as root, or by the helper. Returns its output. Throws if it failed, or if there is
 * neither.
 */
export async function asRoot(path: string, call: RootCall, signal?: AbortSignal): Promise<string> {
  if (isRoot() || !hasHelper()) return await perform(path, call, signal);
  return await askHelper(helperSocket, path, call, signal);
}

/** The helper aborts calls at their own timeout; this is added to it here. */
const graceMilliseconds = 10_000;

export async function askHelper(
  socketPath: string,
  path: string,
  call: RootCall,
  signal?: AbortSignal,
): Promise<string> {
  const ends = [AbortSignal.timeout(timeoutMilliseconds(call) + graceMilliseconds)];
  if (signal) ends.push(signal);
  const socket = connect({ path: socketPath, signal: AbortSignal.any(ends) });
  socket.write(`${JSON.stringify({ path, ...call })}\n`);
  const said = await text(socket);
  if (said === '') throw new Error(`${socketPath} gave no answer.`);
  const answer: Answer = JSON.parse(said);
  if ('failed' in answer) throw new Error(answer.failed);
  return answer.printed;
}
