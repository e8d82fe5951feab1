import { Problem } from '../../../problems/problem.ts';
import type { ServerRow } from '../../queries.ts';

/** Throws if the server is protected against the action. */
export function requireUnprotected(server: ServerRow, action: 'delete' | 'rebuild'): void {
  if (!server[`protects_${action}`]) return;
  const body = JSON.stringify({ protection: { [action]: false } });
  const detail = `The server is protected against a ${action}. To end its protection: PATCH /v1/servers/${server.id} with ${body}.`;
  throw new Problem('protected', detail);
}
