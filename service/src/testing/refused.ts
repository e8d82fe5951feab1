import type { AuditEntry } from '../audit/entry-queries.ts';

/** The entry of a request of a token that was refused. */
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
