import { type OfferedAction, offeredActions } from '@berth/contract/server-actions';
import type { ServerStatus } from '../../db/schema/schema.ts';
import { actions } from './all.ts';
import type { AnyServerAction, Circumstances } from './rules/define.ts';

/** Returns the actions that are possible now, so that clients need not know these rules. */
export function allowedActions(
  status: ServerStatus,
  unfinishedKind: string | null,
  circumstances: Circumstances,
): OfferedAction[] {
  return offeredActions.filter((name) => {
    const action: AnyServerAction = actions[name];
    if (action.isPossible?.(circumstances) === false) return false;
    if (circumstances.suspended && !action.whileSuspended) return false;
    if (unfinishedKind !== null) return takesPlaceOf(action, unfinishedKind);
    return action.from.includes(status);
  });
}

/** Whether the action, in some form, supersedes an operation of this kind. */
function takesPlaceOf({ joins, operation, supersedes = {} }: AnyServerAction, kind: string) {
  if (joins && operation.kind === kind) return true;
  return Object.values(supersedes).some((kinds) => kinds.includes(kind));
}
