import { type OfferedAction, offeredActions } from '@berth/contract/server-actions';
import type { ServerStatus } from '../../db/schema/schema.ts';
import { actions } from './all.ts';
import type { AnyServerAction, Circumstances } from './define.ts';

/** What a client may do now, so that no client has to know these rules. */
export function allowedActions(
  status: ServerStatus,
  unfinishedKind: string | null,
  circumstances: Circumstances,
): OfferedAction[] {
  return offeredActions.filter((name) => {
    const action: AnyServerAction = actions[name];
    if (unfinishedKind !== null) return takesPlaceOf(action, unfinishedKind);
    return action.from.includes(status) && (action.isPossible?.(circumstances) ?? true);
  });
}

/** Whether there is a way to ask for it that need not wait for an operation of this kind. */
function takesPlaceOf({ joins, operation, supersedes = {} }: AnyServerAction, kind: string) {
  if (joins && operation.kind === kind) return true;
  return Object.values(supersedes).some((kinds) => kinds.includes(kind));
}
