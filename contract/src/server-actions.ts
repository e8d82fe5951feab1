/**
 * The actions on an existing server. This table is the only list of their names. The routes, `allowed_actions`, the
 * kinds of operations and the actions of the audit log are derived from it. Each action has a file in
 * `service/src/servers/actions/`.
 */
const table = {
  start: { operation: 'start', offered: true, bulk: true },
  stop: { operation: 'stop', offered: true, bulk: true },
  restart: { operation: 'restart', offered: true, bulk: true },
  pause: { operation: 'pause', offered: true, bulk: true },
  unpause: { operation: 'unpause', offered: true, bulk: true },
  password: { operation: 'set_password', offered: true },
  retry: { operation: 'create', offered: true, bulk: true },
  rebuild: { operation: 'create', offered: true },
  resize: { operation: 'resize', offered: true },
  delete: { operation: 'delete', offered: true, bulk: true },
  suspend: { operation: 'suspend', offered: false },
  unsuspend: { operation: 'unsuspend', offered: false },
  move: { operation: 'move', offered: false },
} as const satisfies Record<
  string,
  {
    /** The kind of operation that carries it out. */
    operation: string;
    /** Whether `allowed_actions` offers it. Actions that only administrators can use are not offered. */
    offered: boolean;
    /** Set if one request can carry it out on several servers. It must not need any field. */
    bulk?: true;
  }
>;

type Table = typeof table;

export type ServerAction = keyof Table;
export const serverActions = Object.keys(table) as ServerAction[];

export type OfferedAction = {
  [A in ServerAction]: Table[A]['offered'] extends true ? A : never;
}[ServerAction];
export const offeredActions = serverActions.filter(
  (action): action is OfferedAction => table[action].offered,
);

type ActionInBulk = {
  [A in ServerAction]: Table[A] extends { bulk: true } ? A : never;
}[ServerAction];
export const bulkActions = serverActions.filter(
  (action): action is ActionInBulk => 'bulk' in table[action],
);

type ServerOperation = 'create' | 'rename' | 'repair' | 'adopt' | Table[ServerAction]['operation'];

/** The kinds of operations: first those on servers, then those on nodes. */
export const operationKinds = [
  ...new Set<ServerOperation>([
    'create',
    ...serverActions.map((name) => table[name].operation),
    'rename',
    'repair',
    'adopt',
  ]),
  ...(['evacuate', 'restore', 'declare_lost'] as const),
];
