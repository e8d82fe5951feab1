/**
 * Every way in which an operation can fail, with the HTTP status for clients that wait for it, and a title. The codes
 * are part of the API. 409: the server, its guest, the node or the configuration is not as the operation needs it. 502:
 * the engine did not carry out a request. 503: something is unreachable or full at the moment.
 */
export const failures = {
  drift_left: [409, 'Drift is left'],
  guest_ignored_shutdown: [409, 'Guest ignored the shutdown'],
  guest_paused: [409, 'Guest is paused'],
  guest_report_replaced: [409, 'Guest replaced its report'],
  guest_report_unreadable: [409, 'Report of the guest is unreadable'],
  image_server_not_allowed: [409, 'Image server is not allowed'],
  initialisation_failed: [409, 'Guest could not be set up'],
  instance_missing: [409, 'Instance is missing'],
  memory_in_use: [409, 'Memory is in use'],
  not_a_member: [409, 'Node is not a member of its cluster'],
  operation_cancelled: [409, 'Operation was cancelled'],
  operation_superseded: [409, 'Operation was superseded'],
  password_not_set: [409, 'Password was not set'],
  password_unconfirmed: [409, 'Password may have been set'],
  rename_incomplete: [409, 'Name takes effect at the next start'],
  secrets_unreadable: [409, 'Password and initial commands are unreadable'],
  servers_left: [409, 'Servers are left on the node'],
  disk_left: [502, 'Disk was not deleted'],
  address_in_use: [502, 'Address is used by another instance'],
  engine_already_exists: [502, 'Already exists in the engine'],
  engine_evacuate_failed: [502, 'Engine could not evacuate the node'],
  engine_failed: [502, 'Engine failed'],
  engine_forbidden: [502, 'Engine denied the request'],
  engine_invalid: [502, 'Engine rejected the request'],
  engine_not_found: [502, 'Not found in the engine'],
  engine_restore_failed: [502, 'Engine could not restore the node'],
  migration_failed: [502, 'Engine could not move the server'],
  not_paused: [502, 'Server was not paused'],
  not_started: [502, 'Server did not start'],
  not_unpaused: [502, 'Server was not unpaused'],
  operation_failed: [502, 'Operation failed'],
  deadline_exceeded: [503, 'Operation exceeded its deadline'],
  engine_busy: [503, 'Engine is busy'],
  engine_no_space: [503, 'Engine has no space left'],
  engine_timeout: [503, 'Engine did not answer in time'],
  engine_unreachable: [503, 'Engine is unreachable'],
  image_server_unreachable: [503, 'Image server is unreachable'],
  no_space: [503, 'Storage pool is full'],
  unknown_step: [503, 'Operation belongs to another release'],
} as const satisfies Record<string, readonly [status: 409 | 502 | 503, title: string]>;

/**
 * Codes of refusals with which an operation can fail as well: see problem.ts. `image_server_not_allowed` is a refusal of
 * creates and of requested images.
 */
export const failuresLikeRefusals = [
  'drift_not_adoptable',
  'node_answers',
  'server_not_stopped',
] as const;

export type FailureCode = keyof typeof failures | (typeof failuresLikeRefusals)[number];

/**
 * Failures of any operation: it was cancelled or superseded, it took too long, or the engine failed at a step.
 */
export const anyFailures: readonly FailureCode[] = [
  'operation_cancelled',
  'operation_superseded',
  'operation_failed',
  'deadline_exceeded',
  'unknown_step',
  'engine_already_exists',
  'engine_busy',
  'engine_failed',
  'engine_forbidden',
  'engine_invalid',
  'engine_no_space',
  'engine_not_found',
  'engine_timeout',
  'engine_unreachable',
];
