import { type Noun, nouns } from '@berth/contract/nouns';
import type { ServerAction } from '@berth/contract/server-actions';
import type { App } from '../callers/app-types.ts';
import { placesOf } from '../requests/reference-places.ts';
import { actions } from '../servers/actions/all.ts';
import { type AccessRoute, accessRoutes } from './access-routes.ts';
import type { AccessWorld } from './access-world.ts';
import { exampleOf } from './examples.ts';
import { inject } from './inject.ts';
import { serverBody } from './servers.ts';
import { newPublicKey } from './ssh-keys.ts';

/** A request to a route that an authorised caller makes. */
export interface AccessCase {
  prefix: AccessRoute['prefix'];
  /** With objects of the own project, or of all projects. */
  path: string;
  body?: object | undefined;
  /** The status of a success. */
  status: number;
  /**
   * The noun whose object of another project is requested first, if it belongs to projects at all.
   */
  foreign?: Noun | undefined;
  /** The required role, if the scope alone is not enough. Administrators may always. */
  only?: 'owner';
}

/**
 * Cases by `operationId`, for every route. For most, the route's declaration is enough: its path
 * with the ids of existing objects, the examples of its fields, and its success status. `special`
 * has the rest.
 */
export async function accessCases(
  world: AccessWorld,
  app: App,
): Promise<Record<string, AccessCase>> {
  const routes = accessRoutes(app);
  await enterOtherNouns(world, app, routes);
  await enterDeliveries(world, app);
  const own = { ...actionCases(world), ...special(world) };
  const names = new Set(routes.map(({ name }) => name));
  const unknown = Object.keys(own).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Error(`There is no route ${unknown.join(', ')}.`);
  const cases = routes.map((route) => [route.name, { ...usual(route, world), ...own[route.name] }]);
  return Object.fromEntries(cases);
}

function usual(route: AccessRoute, world: AccessWorld): AccessCase {
  const { prefix, url, scope, schema } = route;
  const places = placesOf(schema).filter(({ part }) => part === 'params');
  const nounAt = (field: string) =>
    places.find((place) => place.field === field && 'noun' in place);
  const path = url.replaceAll(/:(\w+)/g, (whole, field: string, at: number) => {
    const place = nounAt(field);
    if (!place || !('noun' in place)) return whole;
    const isRemoved = route.method === 'DELETE' && at + whole.length === url.length;
    const { [place.noun]: spare } = isRemoved ? world.spare : {};
    return String(spare ?? world.own[place.noun] ?? whole);
  });
  const [first] = places;
  const isOfProject = scope !== 'admin' && scope !== 'person';
  const noun = first && 'noun' in first && first.noun in world.foreign ? first.noun : undefined;
  return {
    ...{ prefix, path, status: promised(schema), body: bodyOf(route) },
    // Lists for administrators have the objects of all projects.
    ...(isOfProject && { foreign: noun }),
  };
}

function promised({ response = {} }: AccessRoute['schema']): number {
  const good = Object.entries(response as object)
    .filter(([status, shape]) => status < '300' && !('undocumented' in (shape as object)))
    .map(([status]) => Number(status));
  return Math.min(...good);
}

function bodyOf({ schema: { body = {} } }: AccessRoute): object | undefined {
  const hasFields = Object.keys((body as { properties?: object }).properties ?? {}).length > 0;
  return hasFields ? (exampleOf(body as object) as object) : undefined;
}

/** Creates one object of each missing noun, one to be removed, and one in the other project. */
async function enterOtherNouns(world: AccessWorld, app: App, routes: AccessRoute[]): Promise<void> {
  for (const noun of nouns.filter((one) => world.own[one] === undefined)) {
    const create = routes.find(({ name }) => name === `${noun}_create`);
    // The own objects of a user are requested in the user's session.
    if (!create || create.scope === 'person') continue;
    const isOfProject = create.scope !== 'admin';
    const { admin, write, foreign } = world.headers;
    const enter = async (headers: object, nth: string) => {
      const payload = named(bodyOf(create), nth);
      const url = create.prefix + create.url;
      const answer = await inject(app, { method: 'POST', url, headers: { ...headers }, payload });
      if (answer.statusCode !== 201) throw new Error(`${create.name}: ${answer.body}`);
      return answer.json().id as number;
    };
    world.own[noun] = await enter(isOfProject ? write : admin, 'own');
    world.spare[noun] = await enter(isOfProject ? write : admin, 'spare');
    if (isOfProject) world.foreign[noun] = await enter(foreign, 'foreign');
  }
}

/** A delivery of the webhook of each project. */
async function enterDeliveries({ own, foreign, headers }: AccessWorld, app: App): Promise<void> {
  const enter = async (webhook: number | undefined, of: object) => {
    const url = `/v1/webhooks/${webhook}/test`;
    const answer = await inject(app, { method: 'POST', url, headers: { ...of } });
    if (answer.statusCode !== 202) throw new Error(`webhook_test: ${answer.body}`);
    return answer.json().id as number;
  };
  own.webhook_delivery = await enter(own.webhook, headers.write);
  foreign.webhook_delivery = await enter(foreign.webhook, headers.foreign);
}

/** A body with a unique name, and a key of its own where it has one. */
function named(body: object = {}, nth: string): object {
  return {
    ...body,
    ...('name' in body && { name: `${body.name}-${nth}` }),
    ...('public_key' in body && { public_key: newPublicKey() }),
  };
}

/** The requests and answers of actions that need more than the defaults. */
const specialActions: Partial<Record<ServerAction, Partial<AccessCase>>> = {
  // Its create did not fail.
  retry: { status: 409 },
  rebuild: { body: { erase: true, password: 'correct horse battery', initialCommands: [] } },
  resize: { body: { cpu: 1 } },
  // Its node is not in a cluster.
  move: { status: 409 },
  suspend: { body: { reason: 'Unpaid.' } },
  unsuspend: { status: 409 },
};

/** Each action has a separate server. */
function actionCases({ toActOn }: AccessWorld): Record<string, Partial<AccessCase>> {
  const cases = Object.values(actions).map(({ name, route }) => {
    const url = route?.url ?? `/servers/:id/${name}`;
    const path = url.replace(':id', String(toActOn[name]));
    return [`server_${name}`, { path, body: undefined, ...specialActions[name] }];
  });
  return Object.fromEntries(cases);
}

/** The cases that do not follow from a route's declaration. */
function special(world: AccessWorld): Record<string, Partial<AccessCase>> {
  const { place, own, spare, credentials } = world;
  // These do not exist, so an invalid proof is refused.
  const noKey = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} };
  const signed = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' };
  const attested = { clientDataJSON: 'AAAA', attestationObject: 'AAAA' };
  const changed = { description: 'Changed' };
  const notTheirs = { password: 'not theirs', new_password: 'violet-harbour-Monday-finch' };
  return {
    server_create: { body: serverBody(place) },
    server_dry_run: { body: serverBody(place) },
    // It needs a WebSocket.
    console_open: { path: '/consoles/none', status: 426 },
    server_bulk_action: { body: { action: 'restart', ids: [own.server] } },
    operation_command_output: {
      path: `/operations/${own.operation}/commands/0/output`,
      status: 404,
    },
    // Otherwise it is a stream, which does not end.
    event_list: { path: '/events?after=0' },
    location_update: { body: changed },
    node_view: { path: '/nodes/node-1' },
    node_evacuate: { path: '/nodes/node-1/evacuate', body: undefined, status: 409 },
    node_restore: { path: '/nodes/node-1/restore', body: undefined, status: 409 },
    node_declare_lost: {
      path: '/nodes/node-1/declare-lost',
      body: { confirm: 'node-1' },
      status: 409,
    },
    node_cordon: { path: '/nodes/node-1/cordon' },
    // Other cases create servers, so the node must accept them again.
    node_uncordon: { path: '/nodes/node-1/uncordon' },
    // An instance without a server, unlike the own one.
    drift_adopt: { path: `/drift/${spare.drift}/adopt`, body: { os_id: place.osId } },
    operating_system_create: {
      body: {
        ...{ slug: 'fedora-43', name: 'Fedora', version: '43', type: 'container' },
        source: { server: 'https://images.linuxcontainers.org', alias: 'fedora/43/cloud' },
        minimum: { ram: 512, disk: 3 },
      },
    },
    operating_system_update: { body: { enabled: true } },
    size_update: { body: changed },
    image_import: { body: { location_id: place.locationId } },
    address_pool_create: {
      body: { location_id: place.locationId, cidr: '10.77.0.0/24', gateway: '10.77.0.1' },
    },
    address_pool_update: { body: { enabled: true } },
    project_update: { body: changed },
    ssh_key_create: { body: { name: 'made', public_key: newPublicKey() } },
    // A change gives another one the name of the example.
    webhook_create: { body: { name: 'made', url: 'https://hooks.example.com/berth' } },
    token_create: { body: { name: 'made', scopes: ['servers:read'] } },
    token_revoke: { only: 'owner' },
    member_list: { only: 'owner' },
    member_view: { only: 'owner' },
    member_add: { body: { email: world.newcomer, role: 'viewer' }, only: 'owner' },
    member_set: { body: { role: 'member' }, only: 'owner' },
    member_remove: { only: 'owner' },
    // There are users.
    setup_complete: { status: 409 },
    // No program waits.
    device_authorization_token: { status: 400 },
    device_authorization_view: { path: '/device-authorizations/WDJB-MJHT', status: 404 },
    device_authorization_approve: {
      path: '/device-authorizations/WDJB-MJHT/approve',
      status: 404,
    },
    device_authorization_deny: { path: '/device-authorizations/WDJB-MJHT/deny', status: 404 },
    session_create: { body: credentials },
    session_confirm: { body: { password: 'not theirs' }, status: 422 },
    password_change: { body: notTheirs, status: 422 },
    session_oidc_begin: { status: 404 },
    session_oidc_callback: { status: 404 },
    session_passkey: { body: { ...noKey, response: signed }, status: 401 },
    passkey_create: {
      body: { name: 'Phone', credential: { ...noKey, response: attested } },
      status: 422,
    },
    passkey_delete: { path: '/passkeys/1', status: 404 },
    user_create: { body: { email: 'made@example.com' } },
    user_update: { body: { name: 'Changed' } },
    settings_update: { body: { retention: { outputs_days: 30 } } },
  };
}
