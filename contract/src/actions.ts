import { type ServerAction, serverActions } from './server-actions.ts';

/**
 * What an entry of the audit log can be of: the `operationId` of each request that can change something,
 * and what the tools and Berth itself enter. One that is no longer offered stays, for its old entries.
 */
const others = [
  'address_pool_create',
  'address_pool_delete',
  'address_pool_update',
  'image_import',
  'initial_commands_failed',
  'location_create',
  'location_delete',
  'location_update',
  'member_add',
  'member_remove',
  'member_set',
  'node_cordon',
  'node_declare_lost',
  'node_evacuate',
  'node_restore',
  'node_uncordon',
  'operating_system_create',
  'operating_system_update',
  'passkey_create',
  'passkey_delete',
  'passkey_options',
  'password_change',
  'project_create',
  'project_delete',
  'project_update',
  'requests_refused',
  'server_create',
  'server_dry_run',
  'server_traffic_update',
  'session_confirm',
  'session_create',
  'session_delete',
  'session_delete_all',
  'session_oidc_begin',
  'session_oidc_callback',
  'session_passkey',
  'session_passkey_options',
  'settings_update',
  'statement_correct',
  'token_create',
  'token_revoke',
  'traffic_notice',
  'traffic_throttle',
  'user_create',
  'user_delete',
  'user_update',
] as const;

export type AuditAction = (typeof others)[number] | `server_${ServerAction}`;

export const auditActions = [
  ...others,
  ...serverActions.map((name) => `server_${name}` as const),
].toSorted() satisfies AuditAction[];
