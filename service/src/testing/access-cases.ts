import type { ServerAction } from '@berth/contract/server-actions';
import { actions } from '../servers/actions/all.ts';
import type { AccessWorld } from './access-world.ts';
import { serverBody } from './servers.ts';

/** How a route is asked by somebody who may. Every route has one. */
export interface AccessCase {
  /** With the object of the own project, or of all; the id is appended where it is another's. */
  path: string;
  /** `/v1` unless told. */
  prefix?: '';
  body?: object;
  /** Of the right answer. */
  status: number;
  /** Whose object of another project the path is asked with, if it is of a project at all. */
  foreign?: 'server' | 'operation' | 'token' | 'project';
  /** The role that it takes, where the scope alone is not enough. Administrators may all the same. */
  only?: 'owner';
}

/** What the actions are asked with, and how they answer, that don't enter their operation without more. */
const special: Partial<Record<ServerAction, Partial<AccessCase>>> = {
  // Its create did not fail, and its node is not lost.
  retry: { status: 409 },
  rebuild: { status: 409, body: { password: 'correct horse battery', initialCommands: [] } },
  // Its node is not in a cluster.
  move: { status: 409 },
};

/** Those of the actions on servers. */
function actionCases({ toActOn }: AccessWorld): Record<string, AccessCase> {
  const cases = Object.values(actions).map(({ name, scope, route }) => {
    const url = route?.url ?? `/servers/:id/${name}`;
    const asked: AccessCase = {
      path: url.replace(':id', String(toActOn[name])),
      status: 202,
      // Who may ask for what is for administrators finds those of all projects.
      ...(scope !== 'admin' && { foreign: 'server' }),
      ...special[name],
    };
    return [`server_${name}`, asked] as const;
  });
  return Object.fromEntries(cases);
}

/** By `operationId`. */
export function accessCases(world: AccessWorld): Record<string, AccessCase> {
  const { place, own, credentials } = world;
  const members = `/projects/${place.projectId}/members`;
  // Nobody has these: what proves nothing is refused.
  const noKey = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} };
  const signed = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' };
  const attested = { clientDataJSON: 'AAAA', attestationObject: 'AAAA' };
  return {
    server_list: { path: '/servers', status: 200 },
    server_view: { path: `/servers/${own.server}`, status: 200, foreign: 'server' },
    server_status: { path: `/servers/${own.server}/status`, status: 200, foreign: 'server' },
    server_usage: { path: `/servers/${own.server}/usage`, status: 200, foreign: 'server' },
    server_traffic: { path: `/servers/${own.server}/traffic`, status: 200, foreign: 'server' },
    server_traffic_update: {
      path: `/servers/${own.server}/traffic`,
      body: { allowance: 10 ** 12 },
      status: 200,
    },
    server_create: { path: '/servers', body: serverBody(place), status: 201 },
    server_dry_run: { path: '/servers/dry-run', body: serverBody(place), status: 200 },
    ...actionCases(world),
    operation_list: { path: '/operations', status: 200 },
    operation_view: { path: `/operations/${own.operation}`, status: 200, foreign: 'operation' },
    operation_command_output: {
      path: `/operations/${own.operation}/commands/0/output`,
      status: 404,
      foreign: 'operation',
    },
    location_list: { path: '/locations', status: 200 },
    location_view: { path: `/locations/${place.locationId}`, status: 200 },
    location_update: {
      path: `/locations/${place.locationId}`,
      body: { description: 'Changed' },
      status: 200,
    },
    node_list: { path: '/nodes', status: 200 },
    node_view: { path: '/nodes/node-1', status: 200 },
    node_evacuate: { path: '/nodes/node-1/evacuate', status: 409 },
    node_restore: { path: '/nodes/node-1/restore', status: 409 },
    node_declare_lost: {
      path: '/nodes/node-1/declare-lost',
      body: { confirm: 'node-1' },
      status: 409,
    },
    node_cordon: { path: '/nodes/node-1/cordon', status: 200 },
    // As servers are to be created by others.
    node_uncordon: { path: '/nodes/node-1/uncordon', status: 200 },
    operating_system_list: { path: '/operating-systems', status: 200 },
    operating_system_view: { path: `/operating-systems/${place.osId}`, status: 200 },
    operating_system_create: {
      path: '/operating-systems',
      body: {
        ...{ slug: 'fedora-43', name: 'Fedora', version: '43', type: 'container' },
        source: { server: 'https://images.linuxcontainers.org', alias: 'fedora/43/cloud' },
        minimum: { ram: 512, disk: 3 },
      },
      status: 201,
    },
    operating_system_update: {
      path: `/operating-systems/${place.osId}`,
      body: { enabled: true },
      status: 200,
    },
    image_list: { path: `/operating-systems/${place.osId}/images`, status: 200 },
    image_import: {
      path: `/operating-systems/${place.osId}/images`,
      body: { location_id: place.locationId },
      status: 202,
    },
    address_pool_list: { path: '/address-pools', status: 200 },
    address_pool_view: { path: `/address-pools/${own.pool}`, status: 200 },
    address_pool_create: {
      path: '/address-pools',
      body: { location_id: place.locationId, cidr: '10.77.0.0/24', gateway: '10.77.0.1' },
      status: 201,
    },
    address_pool_update: {
      path: `/address-pools/${own.pool}`,
      body: { enabled: true },
      status: 200,
    },
    address_pool_delete: { path: `/address-pools/${own.emptyPool}`, status: 200 },
    project_list: { path: '/projects', status: 200 },
    project_view: { path: `/projects/${place.projectId}`, status: 200, foreign: 'project' },
    project_quota: { path: `/projects/${place.projectId}/quota`, status: 200, foreign: 'project' },
    project_statement: {
      path: `/projects/${place.projectId}/statement`,
      status: 200,
      foreign: 'project',
    },
    project_statement_csv: {
      path: `/projects/${place.projectId}/statement.csv`,
      status: 200,
      foreign: 'project',
    },
    project_create: { path: '/projects', body: { name: 'made' }, status: 201 },
    project_update: {
      path: `/projects/${place.projectId}`,
      body: { description: 'Changed' },
      status: 200,
    },
    project_delete: { path: `/projects/${own.emptyProject}`, status: 200 },
    whoami: { path: '/whoami', status: 200 },
    token_list: { path: '/tokens', status: 200 },
    token_view: { path: `/tokens/${own.token}`, status: 200, foreign: 'token' },
    token_create: {
      path: '/tokens',
      body: { name: 'made', scopes: ['servers:read'] },
      status: 201,
    },
    token_revoke: {
      path: `/tokens/${own.spareToken}`,
      status: 200,
      foreign: 'token',
      only: 'owner',
    },
    member_list: { path: members, status: 200, foreign: 'project', only: 'owner' },
    member_view: {
      path: `${members}/${own.member}`,
      status: 200,
      foreign: 'project',
      only: 'owner',
    },
    member_add: {
      path: members,
      body: { email: world.newcomer, role: 'viewer' },
      status: 201,
      foreign: 'project',
      only: 'owner',
    },
    member_set: {
      path: `${members}/${own.member}`,
      body: { role: 'member' },
      status: 200,
      foreign: 'project',
      only: 'owner',
    },
    member_remove: {
      path: `${members}/${own.member}`,
      status: 200,
      foreign: 'project',
      only: 'owner',
    },
    session_create: { path: '/session', body: credentials, status: 201 },
    session_view: { path: '/session', status: 200 },
    session_list: { path: '/sessions', status: 200 },
    session_delete: { path: '/session', status: 200 },
    session_delete_all: { path: '/sessions', status: 200 },
    session_confirm: { path: '/session/confirm', body: { password: 'not theirs' }, status: 422 },
    password_change: {
      path: '/session/password',
      body: { password: 'not theirs', new_password: 'violet-harbour-Monday-finch' },
      status: 422,
    },
    session_oidc_begin: { path: '/session/oidc', status: 404 },
    session_oidc_callback: { path: '/session/oidc', status: 404 },
    session_passkey_options: { path: '/session/passkey/options', status: 200 },
    session_passkey: {
      path: '/session/passkey',
      body: { ...noKey, response: signed },
      status: 401,
    },
    passkey_list: { path: '/passkeys', status: 200 },
    passkey_options: { path: '/passkeys/options', status: 200 },
    passkey_create: {
      path: '/passkeys',
      body: { name: 'Phone', credential: { ...noKey, response: attested } },
      status: 422,
    },
    passkey_delete: { path: '/passkeys/1', status: 404 },
    user_list: { path: '/users', status: 200 },
    user_view: { path: `/users/${own.user}`, status: 200 },
    user_create: { path: '/users', body: { email: 'made@example.com' }, status: 201 },
    user_update: { path: `/users/${own.user}`, body: { name: 'Changed' }, status: 200 },
    user_delete: { path: `/users/${own.spareUser}`, status: 200 },
    settings_view: { path: '/settings', status: 200 },
    settings_update: {
      path: '/settings',
      body: { retention: { outputs_days: 30 } },
      status: 200,
    },
    audit_list: { path: '/audit', status: 200 },
    audit_export: { path: '/audit/export', status: 200 },
    metrics_view: { path: '/metrics', prefix: '', status: 200 },
    health_view: { path: '/health', status: 200 },
    health_ready: { path: '/health/ready', status: 200 },
    version_view: { path: '/version', status: 200 },
  };
}
