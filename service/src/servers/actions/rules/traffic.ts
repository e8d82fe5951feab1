import type { Project } from '../../../db/project.ts';
import { Problem } from '../../../problems/problem.ts';
import { isStoppedForTraffic } from '../../../traffic/allowance.ts';
import { findTraffic } from '../../../usage/queries.ts';

export const refusedForTraffic =
  'The request is refused with `traffic_exceeded` if the server has used up its traffic allowance and the ' +
  '`traffic_policy` of its location is `stop`.';

/** Throws if the server must not be started or restarted, because its traffic policy stops it. */
export async function requireTraffic(project: Project, serverId: number): Promise<void> {
  const row = await findTraffic(project, serverId);
  if (!row || !isStoppedForTraffic(row)) return;
  const detail =
    'Its traffic allowance of this month is used up. It can be started and restarted when the month ' +
    'turns, in UTC, or when its allowance is raised.';
  throw new Problem('traffic_exceeded', detail);
}
