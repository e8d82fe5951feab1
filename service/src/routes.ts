import { addressPoolRoutes } from './address-pools/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { identityRoutes } from './identities/routes.ts';
import { imageRoutes } from './images/routes.ts';
import { locationRoutes } from './locations/routes.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { operatingSystemRoutes } from './operating-systems/routes.ts';
import { operationRoutes } from './operations/routes.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { membershipRoutes } from './projects/members/routes.ts';
import { projectRoutes } from './projects/routes.ts';
import type { Routes } from './requests/app-types.ts';
import { serverRoutes } from './servers/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { statementRoutes } from './statements/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { userRoutes } from './users/routes.ts';
import { versionRoutes } from './version/routes.ts';

/** The whole API, in the order of its documentation. A new noun is a line here. */
export const routes: readonly Routes[] = [
  serverRoutes,
  usageRoutes,
  operationRoutes,
  locationRoutes,
  nodeRoutes,
  operatingSystemRoutes,
  imageRoutes,
  addressPoolRoutes,
  projectRoutes,
  statementRoutes,
  membershipRoutes,
  tokenRoutes,
  sessionRoutes,
  identityRoutes,
  passkeyRoutes,
  userRoutes,
  auditRoutes,
  settingsRoutes,
  healthRoutes,
  versionRoutes,
];
