import { addressPoolRoutes } from './address-pools/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import type { Routes } from './callers/app-types.ts';
import { allows } from './callers/scopes.ts';
import type { WaitingDeps } from './changes/accepted.ts';
import type { Candidate, Lookups, ReferenceScope } from './changes/references.ts';
import { confirmationRoutes } from './confirmation/routes.ts';
import { type ConsoleDeps, consoleRoutes } from './consoles/routes.ts';
import { deviceAuthorizationRoutes } from './device-authorizations/routes.ts';
import { driftRoutes } from './drift/routes.ts';
import { type EventDeps, eventRoutes } from './events/routes.ts';
import { type HealthDeps, healthRoutes } from './health/routes.ts';
import type { ProviderDeps } from './identities/methods.ts';
import { identityRoutes } from './identities/routes.ts';
import { imageRoutes } from './images/routes.ts';
import { findLocationsNamed, knownLocations } from './locations/queries.ts';
import { locationRoutes } from './locations/routes.ts';
import { maintenanceRoutes } from './maintenance/routes.ts';
import { findNodesNamed, knownNodes } from './nodes/queries.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { findOperatingSystemsNamed, knownOperatingSystems } from './operating-systems/queries.ts';
import { type ImageServerDeps, operatingSystemRoutes } from './operating-systems/routes.ts';
import { operationRoutes } from './operations/routes.ts';
import type { OperationDeps } from './operations/view.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { findMembersFor } from './projects/members/memberships.ts';
import { findMembersByEmail } from './projects/members/queries.ts';
import { membershipRoutes } from './projects/members/routes.ts';
import { visibleProjects } from './projects/members/visible-projects.ts';
import { findProjectNamed, knownProjects } from './projects/queries.ts';
import { projectRoutes } from './projects/routes.ts';
import { bulkActionRoutes } from './servers/actions/bulk/routes.ts';
import { serverActionRoutes } from './servers/actions/routes.ts';
import { cancellationRoutes } from './servers/cancellation/routes.ts';
import { serverCreationRoutes } from './servers/creation/routes.ts';
import { findServersNamed, findServersWithUuid, knownServers } from './servers/queries.ts';
import { serverRoutes } from './servers/routes.ts';
import { serverUpdateRoutes } from './servers/update/routes.ts';
import { usageRoutes } from './servers/usage-routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { setupRoutes } from './setup/routes.ts';
import { findSizesNamed, knownSizes } from './sizes/queries.ts';
import { sizeRoutes } from './sizes/routes.ts';
import { findSshKeysNamed } from './ssh-keys/queries.ts';
import { sshKeyRoutes } from './ssh-keys/routes.ts';
import { statementRoutes } from './statements/routes.ts';
import { findTokensNamed, knownTokens } from './tokens/queries.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { findUserByEmail, knownUsers } from './users/queries.ts';
import { userRoutes } from './users/routes.ts';
import { versionRoutes } from './version/routes.ts';
import { deliveryRoutes } from './webhooks/deliveries/routes.ts';
import { findWebhooksNamed } from './webhooks/queries.ts';
import { type WebhookDeps, webhookRoutes } from './webhooks/routes.ts';
import { webhookSecretRoutes } from './webhooks/secret-routes.ts';

/** The dependencies of the routes of all nouns. */
export type AllDeps = WaitingDeps &
  ProviderDeps &
  HealthDeps &
  ImageServerDeps &
  OperationDeps &
  EventDeps &
  ConsoleDeps &
  WebhookDeps;

/**
 * The whole API, in the order of its documentation. A new noun needs a line here, and one in
 * `lookups` if it has names.
 */
export const routes: readonly Routes<AllDeps>[] = [
  serverRoutes,
  serverCreationRoutes,
  serverUpdateRoutes,
  serverActionRoutes,
  bulkActionRoutes,
  consoleRoutes,
  usageRoutes,
  sshKeyRoutes,
  operationRoutes,
  cancellationRoutes,
  eventRoutes,
  webhookRoutes,
  webhookSecretRoutes,
  deliveryRoutes,
  locationRoutes,
  nodeRoutes,
  maintenanceRoutes,
  driftRoutes,
  operatingSystemRoutes,
  imageRoutes,
  sizeRoutes,
  addressPoolRoutes,
  projectRoutes,
  statementRoutes,
  membershipRoutes,
  tokenRoutes,
  deviceAuthorizationRoutes,
  setupRoutes,
  sessionRoutes,
  confirmationRoutes,
  identityRoutes,
  passkeyRoutes,
  userRoutes,
  auditRoutes,
  settingsRoutes,
  healthRoutes,
  versionRoutes,
];

/** How references are looked up, for each noun. Callers find only objects that they can see. */
export const lookups: Lookups = {
  server: {
    named: ({ caller }, name) => findServersNamed(caller.project, name),
    withUuid: ({ readable }, uuid) => findServersWithUuid(readable, uuid),
    known: ({ readable }, ids) => knownServers(readable, ids),
  },
  location: {
    list: 'GET /v1/locations',
    named: ({ db }, name) => findLocationsNamed(db, name),
    known: ({ db }, ids) => knownLocations(db, ids),
  },
  operating_system: {
    list: 'GET /v1/operating-systems',
    named: ({ db }, slug) => findOperatingSystemsNamed(db, slug),
    known: async ({ db }, ids) => [...(await knownOperatingSystems(db, ids))],
  },
  size: {
    list: 'GET /v1/sizes',
    named: ({ db }, name) => findSizesNamed(db, name),
    known: ({ db }, ids) => knownSizes(db, ids),
  },
  project: {
    named: findVisibleProjects,
    known: async ({ db, caller }, ids) => {
      const visible = await visibleProjects(db, caller);
      return visible === 'all' ? await knownProjects(db, ids) : visible;
    },
  },
  user: {
    isCalled: 'has the email address',
    named: findVisibleUsers,
    // Others must not learn which users exist, but can filter by the id of a former member.
    known: async ({ db, caller }, ids) =>
      allows(caller.scopes, 'admin') ? await knownUsers(db, ids) : ids,
  },
  token: {
    named: ({ caller }, name) => findTokensNamed(caller.project, name),
    known: ({ readable }, ids) => knownTokens(readable, ids),
  },
  ssh_key: {
    list: 'GET /v1/ssh-keys',
    named: ({ caller }, name) => findSshKeysNamed(caller.project, name),
  },
  webhook: { named: ({ caller }, name) => findWebhooksNamed(caller.project, name) },
  node: {
    list: 'GET /v1/nodes',
    named: ({ db }, name) => findNodesNamed(db, name),
    known: ({ db }, ids) => knownNodes(db, ids),
  },
  member: {
    words: 'member of the project',
    isCalled: 'has the email address',
    named: async ({ db, caller, pathId }, email) =>
      pathId === undefined ? [] : await findMembersFor(db, caller, pathId, email),
  },
};

async function findVisibleProjects(
  { db, caller }: ReferenceScope,
  name: string,
): Promise<Candidate[]> {
  const id = await findProjectNamed(db, name);
  if (id === undefined) return [];
  const visible = await visibleProjects(db, caller);
  return visible === 'all' || visible.includes(id) ? [{ id, name }] : [];
}

/** Only administrators can find all users. */
async function findVisibleUsers(
  { db, caller }: ReferenceScope,
  email: string,
): Promise<Candidate[]> {
  if (!allows(caller.scopes, 'admin')) {
    return await findMembersByEmail(db, caller.project.id, email);
  }
  const user = await findUserByEmail(db, email);
  return user ? [{ id: user.id, name: user.email }] : [];
}
