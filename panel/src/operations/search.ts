import type { Operation } from '@berth/client';

export type Status = Operation['status'];
export type Kind = Operation['kind'];

export const statusNames: Record<Status, string> = {
  pending: 'waiting',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  superseded: 'superseded',
  cancelled: 'cancelled',
};

/** What an operation does: first those on servers, then those on nodes. */
export const kindNames: Record<Kind, string> = {
  create: 'Create',
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  pause: 'Pause',
  unpause: 'Unpause',
  set_password: 'Set the root password',
  resize: 'Resize',
  delete: 'Delete',
  suspend: 'Suspend',
  unsuspend: 'End the suspension',
  move: 'Move to another node',
  rename: 'Rename',
  repair: 'Repair',
  adopt: 'Adopt',
  evacuate: 'Evacuate the node',
  restore: 'Restore the node',
  declare_lost: 'Declare the node lost',
};

/** The filters of the list, as they are in the URL. */
export interface OperationSearch {
  status?: Status;
  kind?: Kind;
}

const keyOf = <Key extends string>(names: Record<Key, string>, word: unknown): Key | undefined =>
  typeof word === 'string' && Object.hasOwn(names, word) ? (word as Key) : undefined;

/** What the URL says, without what is not understood. */
export function readOperationSearch(found: Record<string, unknown>): OperationSearch {
  const [status, kind] = [keyOf(statusNames, found.status), keyOf(kindNames, found.kind)];
  return { ...(status && { status }), ...(kind && { kind }) };
}

export const hasFilters = ({ status, kind }: OperationSearch): boolean => Boolean(status || kind);

/** The parameters of `GET /v1/operations`. */
export const queryOf = ({ status, kind }: OperationSearch) => ({
  ...(status && { status: [status] }),
  ...(kind && { kind: [kind] }),
});
