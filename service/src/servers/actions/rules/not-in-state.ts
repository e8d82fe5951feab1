import type { ServerStatus } from '../../../db/schema/schema.ts';
import { Problem } from '../../../problems/problem.ts';
import { pausedAdvice } from '../../operations/power/force-advice.ts';

interface Server {
  id: number;
  status: ServerStatus;
}

/** The error of an action that needs a running server, with what is possible in its status. */
export function notRunning(server: Server, action: string): Problem {
  return new Problem('server_not_running', whyNotAsked(server, action));
}

function whyNotAsked(server: Server, action: string): string {
  const { id, status } = server;
  if (status === 'paused') return pausedAdvice(id);
  if (status === 'stopped') return startHint(id);
  return `Only a running server can be asked to ${action}; ${currentStateHint(server)}`;
}

export const startHint = (id: number) =>
  `The server is stopped. To start it: POST /v1/servers/${id}/start.`;

/** The end of a sentence that tells the client where to read the allowed actions. */
export const currentStateHint = ({ id, status }: Server) =>
  `this server is in the ${status} state. GET /v1/servers/${id} shows what it accepts now (\`allowed_actions\`).`;
