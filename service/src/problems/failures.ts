/**
 * Every way in which an operation can fail: the HTTP status that a client gets who waits for it, and a
 * title. The codes are part of the API. 409: the server, its guest, the node or the configuration is not
 * as the operation needs it. 502: the engine did not do what it was asked. 503: something is out of
 * reach or full at the moment.
 */
export const failures = {
  guest_ignored_shutdown: [409, 'Guest ignored the shutdown'],
  guest_paused: [409, 'Guest is paused'],
  guest_report_replaced: [409, 'Guest replaced its report'],
  guest_report_unreadable: [409, 'Report of the guest is unreadable'],
  image_server_not_allowed: [409, 'Image server is not allowed'],
  initialisation_failed: [409, 'Guest could not be set up'],
  instance_missing: [409, 'Instance is missing'],
  not_a_member: [409, 'Node is no member of its cluster'],
  operation_superseded: [409, 'Another operation took its place'],
  secrets_unreadable: [409, 'Password and commands are unreadable'],
  servers_left: [409, 'Servers are left on the node'],
  disk_left: [502, 'Disk is left'],
  address_in_use: [502, 'Another instance has the address'],
  engine_already_exists: [502, 'Engine has it already'],
  engine_evacuate_failed: [502, 'Engine could not evacuate the node'],
  engine_failed: [502, 'Engine failed'],
  engine_forbidden: [502, 'Engine refused'],
  engine_invalid: [502, 'Engine does not take the request'],
  engine_not_found: [502, 'Engine does not have it'],
  engine_restore_failed: [502, 'Engine could not restore the node'],
  migration_failed: [502, 'Engine could not move it'],
  not_started: [502, 'Server did not start'],
  operation_failed: [502, 'Operation failed'],
  deadline_exceeded: [503, 'Operation took too long'],
  engine_busy: [503, 'Engine is busy'],
  engine_no_space: [503, 'Engine has no space left'],
  engine_timeout: [503, 'Engine did not answer in time'],
  engine_unreachable: [503, 'Engine is out of reach'],
  image_server_unreachable: [503, 'Image server is out of reach'],
  no_space: [503, 'Storage pool is full'],
  unknown_step: [503, 'Operation is of another version'],
} as const satisfies Record<string, readonly [status: 409 | 502 | 503, title: string]>;

/** `node_answers` is also a refusal: see problem.ts. */
export type FailureCode = keyof typeof failures | 'node_answers';
