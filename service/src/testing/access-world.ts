import type { Noun } from '@berth/contract/nouns';
import type { ServerAction } from '@berth/contract/server-actions';
import { sql } from 'kysely';
import type { Scope } from '../callers/app-types.ts';
import type { Db } from '../db/connection.ts';
import { actions } from '../servers/actions/all.ts';
import { revokeToken } from '../tokens/credential-queries.ts';
import { createTestToken } from './app.ts';
import { enterDrift } from './drift.ts';
import { type Installation, installation } from './fixtures.ts';
import { type Credentials, createTestUser } from './people.ts';
import { enterServer, operationUnderWay } from './servers.ts';

/** Two projects, each with an object of every noun. */
export interface AccessWorld {
  place: Installation;
  /** Objects of the project, or of all. */
  own: Partial<Record<Noun, number>>;
  /** Objects to be removed. */
  spare: Partial<Record<Noun, number>>;
  /** A server for each action, in a state in which the action is allowed. */
  toActOn: Record<ServerAction, number>;
  /** Objects of the other project, and the project itself. */
  foreign: Partial<Record<Noun, number>> & { project: number };
  /** The email address of a user without a project. */
  newcomer: string;
  /** The credentials of an administrator. */
  credentials: Credentials;
  headers: Record<
    'admin' | 'write' | 'foreign' | 'read' | 'metrics' | 'expired' | 'revoked',
    { authorization: string }
  >;
}

export async function createAccessWorld(db: Db): Promise<AccessWorld> {
  const place = await installation(db);
  const project = await enterProject(db, 'other');
  const foreignPlace = { ...place, projectId: project };
  const foreignServer = await enterServer(db, foreignPlace, { operation: 'stop' });
  const busy = await enterServer(db, place, { operation: 'stop' });
  const revoked = await createTestToken(db);
  await revokeToken(db, revoked.id);
  const expired = await createTestToken(db, { expiresAt: new Date(Date.now() - 1000) });
  const headersOf = async (scope: Scope) =>
    (await createTestToken(db, { scopes: [scope] })).headers;
  return {
    place,
    own: {
      server: await enterServer(db, place),
      operation: (await operationUnderWay(db, busy)).id,
      location: place.locationId,
      operating_system: place.osId,
      address_pool: await poolOf(db, place.locationId),
      drift: await enterDrift(db, place, { serverId: await enterServer(db, place) }),
      project: place.projectId,
      token: (await createTestToken(db)).id,
      user: (await createTestUser(db)).id,
      member: (await createTestUser(db, { roles: { [place.projectId]: 'viewer' } })).id,
    },
    spare: {
      address_pool: await enterPool(db, place.locationId),
      drift: await enterDrift(db, place),
      project: await enterProject(db, 'empty'),
      token: (await createTestToken(db, { scopes: ['servers:read'] })).id,
      user: (await createTestUser(db)).id,
    },
    toActOn: await enterServersToActOn(db, place),
    foreign: {
      server: foreignServer,
      operation: (await operationUnderWay(db, foreignServer)).id,
      token: (await createTestToken(db, { project: 'other' })).id,
      project,
    },
    newcomer: (await createTestUser(db)).email,
    credentials: (await createTestUser(db, { isAdmin: true })).credentials,
    headers: {
      admin: await headersOf('admin'),
      write: await headersOf('servers:write'),
      foreign: (await createTestToken(db, { scopes: ['servers:write'], project: 'other' })).headers,
      read: await headersOf('servers:read'),
      metrics: await headersOf('metrics:read'),
      expired: expired.headers,
      revoked: revoked.headers,
    },
  };
}

async function enterServersToActOn(db: Db, place: Installation) {
  const entered: Partial<Record<ServerAction, number>> = {};
  for (const { name, from } of Object.values(actions)) {
    const [status] = from.includes('started') ? ['started' as const] : from;
    entered[name] = await enterServer(db, place, { ...(status && { status }) });
  }
  return entered as Record<ServerAction, number>;
}

async function enterProject(db: Db, name: string): Promise<number> {
  const query = db.insertInto('projects').values({ name }).returning('id');
  return (await query.executeTakeFirstOrThrow()).id;
}

async function poolOf(db: Db, locationId: number): Promise<number> {
  const query = db.selectFrom('address_pools').select('id').where('location_id', '=', locationId);
  return (await query.orderBy('id').executeTakeFirstOrThrow()).id;
}

async function enterPool(db: Db, locationId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into address_pools (location_id, cidr, gateway, nameservers, first, last)
    values (${locationId}, '10.55.0.0/24', '10.55.0.1', '{}', '10.55.0.2', '10.55.0.9')
    returning id::int`.execute(db);
  return rows[0]?.id ?? 0;
}
