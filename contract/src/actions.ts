import { type NounAction, nounActions } from './nouns.ts';
import { type ServerAction, serverActions } from './server-actions.ts';

/** Actions that are not about a noun (nouns.ts), or that Berth itself does. */
const others = [
  'database_export',
  'database_import',
  'device_authorization_approve',
  'device_authorization_create',
  'device_authorization_deny',
  'device_authorization_token',
  'image_import',
  'initial_commands_failed',
  'password_change',
  'requests_refused',
  'secret_key_rotate',
  'session_confirm',
  'session_create',
  'session_delete',
  'session_delete_all',
  'session_oidc_begin',
  'session_oidc_callback',
  'session_passkey',
  'session_passkey_options',
  'settings_update',
  'setup_complete',
  'statement_correct',
  'traffic_notice',
  'traffic_throttle',
  'webhook_pause',
] as const;

export type AuditAction = NounAction | `server_${ServerAction}` | (typeof others)[number];

/**
 * The actions of the audit log: the `operationId` of each request that can change something, and the actions of the
 * tools and of Berth itself. Actions that no longer exist are kept for old entries.
 */
export const auditActions: readonly AuditAction[] = [
  ...nounActions,
  ...serverActions.map((name) => `server_${name}` as const),
  ...others,
].toSorted();
