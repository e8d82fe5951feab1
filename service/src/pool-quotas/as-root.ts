import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { isRoot } from '../../../setup/commands.mjs';
import { longestMilliseconds, perform, type RootCall } from './commands.ts';

/** Where a service that is not root asks: see `serve.ts`. */
export const helperSocket = '/run/berth-pools/socket';

/** What came of a call: what it printed, or why it failed. */
export type Answer = { printed: string } | { failed: string };

const hasHelper = () => existsSync(helperSocket);

/** Whether what needs root can be done. */
export const canAsRoot = () => isRoot() || hasHelper();

/** Answers what the call printed. Throws where it failed, as for who is not root and has no helper. */
export async function asRoot(path: string, call: RootCall, signal?: AbortSignal): Promise<string> {
  if (isRoot() || !hasHelper()) return await perform(path, call, signal);
  return await askHelper(helperSocket, path, call, signal);
}

/** The helper ends what takes too long. */
const graceMilliseconds = 10_000;

export async function askHelper(
  socketPath: string,
  path: string,
  call: RootCall,
  signal?: AbortSignal,
): Promise<string> {
  const ends = [AbortSignal.timeout(longestMilliseconds(call) + graceMilliseconds)];
  if (signal) ends.push(signal);
  const socket = connect({ path: socketPath, signal: AbortSignal.any(ends) });
  socket.write(`${JSON.stringify({ path, ...call })}\n`);
  const said = await text(socket);
  if (said === '') throw new Error(`${socketPath} gave no answer.`);
  const answer: Answer = JSON.parse(said);
  if ('failed' in answer) throw new Error(answer.failed);
  return answer.printed;
}
