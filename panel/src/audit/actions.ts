import type { paths } from '@berth/client';

type Query = NonNullable<paths['/v1/audit']['get']['parameters']['query']>;
export type Action = NonNullable<Query['action']>[number];
export type Kind = NonNullable<Query['target_kind']>[number];

/** The kinds of objects in the history of a project. Others belong to the installation. */
export const kindNames = {
  server: 'Server',
  ssh_key: 'SSH key',
  token: 'Token',
  user: 'Member',
  webhook: 'Webhook',
  project: 'Project',
} as const satisfies Partial<Record<Kind, string>>;

export type ProjectKind = keyof typeof kindNames;

/** What is done in a project, by what it is done to. */
const actionsByKind = {
  Servers: {
    server_create: 'Create a server',
    server_update: 'Change a server',
    server_start: 'Start a server',
    server_stop: 'Stop a server',
    server_restart: 'Restart a server',
    server_pause: 'Pause a server',
    server_unpause: 'Unpause a server',
    server_password: 'Set the root password',
    server_resize: 'Resize a server',
    server_rebuild: 'Rebuild a server',
    server_retry: 'Retry the create of a server',
    server_move: 'Move a server to another node',
    server_suspend: 'Suspend a server',
    server_unsuspend: 'End the suspension of a server',
    server_traffic_update: 'Change a traffic allowance',
    server_bulk_action: 'Act on several servers',
    server_dry_run: 'Check the create of a server',
    server_delete: 'Delete a server',
    operation_cancel: 'Cancel an operation',
    initial_commands_failed: 'Initial commands failed',
    traffic_notice: 'Traffic allowance nearly used',
    traffic_throttle: 'Limit the bandwidth',
    statement_correct: 'Correct a statement',
  },
  'SSH keys': {
    ssh_key_create: 'Add an SSH key',
    ssh_key_update: 'Rename an SSH key',
    ssh_key_delete: 'Delete an SSH key',
  },
  Tokens: { token_create: 'Create a token', token_revoke: 'Revoke a token' },
  Members: {
    member_add: 'Add a member',
    member_set: 'Change the role of a member',
    member_remove: 'Remove a member',
  },
  Webhooks: {
    webhook_create: 'Add a webhook',
    webhook_update: 'Change a webhook',
    webhook_delete: 'Delete a webhook',
    webhook_test: 'Test a webhook',
    webhook_rotate_secret: 'Change the secret of a webhook',
    webhook_delivery_redeliver: 'Send an event again',
    webhook_pause: 'Pause a webhook',
  },
  Project: {
    project_create: 'Create the project',
    project_update: 'Change the project',
    requests_refused: 'Several requests refused',
  },
} as const satisfies Record<string, Partial<Record<Action, string>>>;

const names: ReadonlyMap<string, string> = new Map(
  Object.values(actionsByKind).flatMap((group) => Object.entries(group)),
);

/** The actions to choose from, in groups. */
export const actionChoices = Object.entries(actionsByKind).map(([group, actions]) => ({
  group,
  items: Object.entries(actions).map(([value, label]) => ({ value, label })),
}));

export const isAction = (word: unknown): word is Action =>
  typeof word === 'string' && names.has(word);

export const isKind = (word: unknown): word is ProjectKind =>
  typeof word === 'string' && Object.hasOwn(kindNames, word);

/** `webhook_pause` as `Pause a webhook`, and what is not known as its words: `Size create`. */
export function actionInWords(action: string): string {
  const words = action.replaceAll('_', ' ');
  return names.get(action) ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
