import { type NounAction, nounActions } from './nouns.ts';
import { type ServerAction, serverActions } from './server-actions.ts';

/** What is done to none of the nouns (nouns.ts), or by Berth itself. */
const others = [
  'database_export',
  'database_import',
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
  'statement_correct',
  'traffic_notice',
  'traffic_throttle',
] as const;

export type AuditAction = NounAction | `server_${ServerAction}` | (typeof others)[number];

/**
 * What an entry of the audit log can be of: the `operationId` of each request that can change something,
 * and what the tools and Berth itself enter. One that is no longer offered stays, for its old entries.
 */
export const auditActions: readonly AuditAction[] = [
  ...nounActions,
  ...serverActions.map((name) => `server_${name}` as const),
  ...others,
].toSorted();
