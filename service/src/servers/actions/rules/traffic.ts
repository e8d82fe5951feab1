import type { Project } from '../../../db/project.ts';
import { Problem } from '../../../problems/problem.ts';
import { isStoppedForTraffic } from '../../../traffic/allowance.ts';
import { findTraffic } from '../../../usage/queries.ts';
import type { ServerRow } from '../../queries.ts';

export const refusedForTraffic =
  'The request is refused with `traffic_exceeded` if the server has used up its traffic allowance and the ' +
  '`traffic_policy` of its location is `stop`.';

const untilThen =
  'It can be started and restarted when the month turns, in UTC, or when its allowance is raised.';

/** Throws if a locked server must not run, because its traffic policy stops it. `advice` is a sentence. */
export async function requireTraffic(
  project: Project,
  { id, traffic_allowance: allowance }: Pick<ServerRow, 'id' | 'traffic_allowance'>,
  advice = untilThen,
): Promise<void> {
  if (allowance === null) return;
  const row = await findTraffic(project, id);
  if (!row || !isStoppedForTraffic(row)) return;
  const detail = `Its traffic allowance of this month is used up. ${advice}`;
  throw new Problem('traffic_exceeded', detail);
}
