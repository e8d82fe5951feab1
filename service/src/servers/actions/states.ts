import type { ServerStatus } from '../../db/schema/schema.ts';

export const actions = ['start', 'stop', 'restart', 'retry', 'rebuild', 'delete'] as const;
export type Action = (typeof actions)[number];
/** Those that are asked for with nothing but the server; the others: retries.ts, rebuilds.ts. */
export type PlainAction = Exclude<Action, 'retry' | 'rebuild'>;
/** A move is for administrators, so that it is not among what clients are told. */
export type AnyAction = Action | 'move';

/** In which states of a server an action may be asked for; a stop of a paused one only by force. */
export const allowedStatuses: Record<AnyAction, readonly ServerStatus[]> = {
  start: ['stopped'],
  stop: ['started', 'paused'],
  restart: ['started'],
  /** And only after its create failed. */
  retry: ['error'],
  /** And only after its node was declared lost. */
  rebuild: ['error'],
  delete: ['creating', 'started', 'stopped', 'paused', 'deleting', 'error'],
  move: ['started', 'stopped'],
};

/** Operations that an action need not wait for: it takes their place. */
export const supersededBy: Record<
  AnyAction | 'forced stop' | 'stop for its traffic',
  readonly string[]
> = {
  start: [],
  stop: [],
  'forced stop': ['start', 'stop', 'restart'],
  /** Berth's own, while the guest is still given time: whoever asks for restarts is not to evade it. */
  'stop for its traffic': ['start', 'restart'],
  restart: [],
  retry: [],
  rebuild: [],
  delete: ['create', 'start', 'stop', 'restart', 'move'],
  move: [],
};

/** What more than its status decides about a server. */
interface Can {
  retry: boolean;
  rebuild: boolean;
  /** Not where it is to be stopped for its traffic. */
  run: boolean;
}

const needs: Partial<Record<Action, keyof Can>> = {
  start: 'run',
  restart: 'run',
  retry: 'retry',
  rebuild: 'rebuild',
};

/** What a client may do now, so that no client has to know these rules. */
export function allowedActions(
  status: ServerStatus,
  unfinishedKind: string | null,
  can: Can,
): Action[] {
  if (unfinishedKind === null) {
    const allowed = actions.filter((action) => allowedStatuses[action].includes(status));
    return allowed.filter((action) => {
      const need = needs[action];
      return need === undefined || can[need];
    });
  }
  return actions.filter((action) => supersedes(action, unfinishedKind));
}

function supersedes(action: Action, kind: string): boolean {
  const asStrong = action === 'stop' ? 'forced stop' : action;
  return kind === 'delete' ? action === 'delete' : supersededBy[asStrong].includes(kind);
}
