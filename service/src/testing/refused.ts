import type { AuditEntry } from '../audit/entry-queries.ts';

/** The audit entry of a refused request with a token. */
export const refused: AuditEntry = {
  projectId: 1,
  tokenId: 2,
  userId: null,
  source: 'api',
  byAdministrator: false,
  address: '192.0.2.1',
  action: 'server_start',
  target: null,
  status: 404,
  code: 'server_not_found',
  requestId: 'one',
};
