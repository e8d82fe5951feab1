import { BerthError, type ConsoleEnd, type ConsoleState } from '@berth/client';
import { inWords } from '../../api/words.ts';

/** The state of a console, and why it has ended. */
export type State = { name: ConsoleState } | { name: 'ended'; end: ConsoleEnd } | Refused;
interface Refused {
  name: 'refused';
  error: unknown;
}

/** What to do about the end of a console, by its close code. */
const advice: Record<number, string> = {
  1000: 'It opens again when the server has started.',
  1006: 'Reconnect to try again.',
  1011: 'Reconnect to try again.',
  4401: 'Reload the page to sign in again.',
  4404: '',
  4408: 'Reconnect to go on.',
  4409: 'Reconnect to use it here.',
  4429: 'Reconnect to see the latest output.',
};

export function stateInWords(state: State): string {
  switch (state.name) {
    case 'connecting':
      return 'Connecting';
    case 'connected':
      return 'Connected';
    case 'reconnecting':
      return 'Disconnected: the connection was lost, and is tried again.';
    case 'refused':
      return `Disconnected: ${inWords(state.error)}`;
    case 'ended': {
      const { code, reason } = state.end;
      const why = reason || `the connection was closed with the code ${code}.`;
      return `Disconnected: ${why} ${advice[code] ?? 'Reconnect to try again.'}`.trim();
    }
  }
}

/** Whether it stays closed until somebody opens it again. */
export const isOver = ({ name }: State): boolean => name === 'ended' || name === 'refused';

/** Whether it ended because the server did, and opens when that runs again. */
export const endedWithServer = (state: State): boolean =>
  (state.name === 'ended' && state.end.code === 1000) ||
  (state.name === 'refused' && isNotRunning(state.error));

const isNotRunning = (error: unknown): boolean =>
  error instanceof BerthError && error.code === 'server_not_running';

const mostTries = 5;
const longerMs = 1000;

/**
 * How long to wait before a console is opened again, whose server is said to run; undefined if that is left to people. The
 * end of a restart may be known before that of the console, and the service notices no restart that a guest makes by itself.
 *
 * @param tries how often it was opened again since the server was last known not to run, or the console was steady
 */
export function waitBeforeTry(state: State, tries: number): number | undefined {
  return endedWithServer(state) && tries < mostTries ? tries * longerMs : undefined;
}

/** How long a console has to be connected until the next end counts as the first. */
export const steadyMs = 10_000;
