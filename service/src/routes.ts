import { addressPoolRoutes } from './address-pools/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import type { Routes } from './callers/app-types.ts';
import type { WaitingDeps } from './changes/accepted.ts';
import { confirmationRoutes } from './confirmation/routes.ts';
import { type HealthDeps, healthRoutes } from './health/routes.ts';
import { identityRoutes, type ProviderDeps } from './identities/routes.ts';
import { imageRoutes } from './images/routes.ts';
import { locationRoutes } from './locations/routes.ts';
import { maintenanceRoutes } from './maintenance/routes.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { type ImageServerDeps, operatingSystemRoutes } from './operating-systems/routes.ts';
import { operationRoutes } from './operations/routes.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { membershipRoutes } from './projects/members/routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { serverActionRoutes } from './servers/actions/routes.ts';
import { serverCreationRoutes } from './servers/creation/routes.ts';
import { serverRoutes } from './servers/routes.ts';
import { usageRoutes } from './servers/usage-routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { statementRoutes } from './statements/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { userRoutes } from './users/routes.ts';
import { versionRoutes } from './version/routes.ts';

/** What the routes of all nouns need. */
export type AllDeps = WaitingDeps & ProviderDeps & HealthDeps & ImageServerDeps;

/** The whole API, in the order of its documentation. A new noun is a line here. */
export const routes: readonly Routes<AllDeps>[] = [
  serverRoutes,
  serverCreationRoutes,
  serverActionRoutes,
  usageRoutes,
  operationRoutes,
  locationRoutes,
  nodeRoutes,
  maintenanceRoutes,
  operatingSystemRoutes,
  imageRoutes,
  addressPoolRoutes,
  projectRoutes,
  statementRoutes,
  membershipRoutes,
  tokenRoutes,
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
