import { allows } from './callers/scopes.ts';
import type { Asker, Candidate, Finders } from './changes/references.ts';
import { findLocationsNamed, knownLocations } from './locations/queries.ts';
import { findNodesNamed, knownNodes } from './nodes/queries.ts';
import { findOperatingSystemsNamed, knownOperatingSystems } from './operating-systems/queries.ts';
import { findMembersByEmail } from './projects/members/queries.ts';
import { visibleProjects } from './projects/members/visible-projects.ts';
import { findProjectNamed, knownProjects } from './projects/queries.ts';
import { findServersNamed, findServersWithUuid, knownServers } from './servers/queries.ts';
import { findTokensNamed, knownTokens } from './tokens/queries.ts';
import { findUserByEmail, knownUsers } from './users/queries.ts';

/** How what a request refers to is found, noun by noun. Nobody finds what they may not see. */
export const references: Finders = {
  server: {
    words: 'server',
    notFound: 'server_not_found',
    named: ({ caller }, name) => findServersNamed(caller.project, name),
    withUuid: ({ readable }, uuid) => findServersWithUuid(readable, uuid),
    known: ({ readable }, ids) => knownServers(readable, ids),
  },
  location: {
    words: 'location',
    notFound: 'location_not_found',
    named: ({ db }, name) => findLocationsNamed(db, name),
    known: ({ db }, ids) => knownLocations(db, ids),
  },
  operating_system: {
    words: 'operating system',
    notFound: 'operating_system_not_found',
    named: ({ db }, slug) => findOperatingSystemsNamed(db, slug),
    known: async ({ db }, ids) => [...(await knownOperatingSystems(db, ids))],
  },
  project: {
    words: 'project',
    notFound: 'project_not_found',
    named: findVisibleProjects,
    known: async ({ db, caller }, ids) => {
      const visible = await visibleProjects(db, caller);
      return visible === 'all' ? await knownProjects(db, ids) : visible;
    },
  },
  user: {
    words: 'user',
    notFound: 'user_not_found',
    named: findVisibleUsers,
    // Others learn nothing of who there is: what a former member did is theirs to ask for.
    known: async ({ db, caller }, ids) =>
      allows(caller.scopes, 'admin') ? await knownUsers(db, ids) : ids,
  },
  token: {
    words: 'token',
    notFound: 'token_not_found',
    named: ({ caller }, name) => findTokensNamed(caller.project, name),
    known: ({ readable }, ids) => knownTokens(readable, ids),
  },
  node: {
    words: 'node',
    notFound: 'node_not_found',
    named: ({ db }, name) => findNodesNamed(db, name),
    known: ({ db }, ids) => knownNodes(db, ids),
  },
  operation: { words: 'operation', notFound: 'operation_not_found' },
  address_pool: { words: 'address pool', notFound: 'address_pool_not_found' },
  passkey: { words: 'passkey', notFound: 'passkey_not_found' },
  member: { words: 'member of the project', notFound: 'member_not_found' },
};

async function findVisibleProjects({ db, caller }: Asker, name: string): Promise<Candidate[]> {
  const id = await findProjectNamed(db, name);
  if (id === undefined) return [];
  const visible = await visibleProjects(db, caller);
  return visible === 'all' || visible.includes(id) ? [{ id, name }] : [];
}

/** Only administrators know of everybody. */
async function findVisibleUsers({ db, caller }: Asker, email: string): Promise<Candidate[]> {
  if (!allows(caller.scopes, 'admin')) {
    return await findMembersByEmail(db, caller.project.id, email);
  }
  const user = await findUserByEmail(db, email);
  return user ? [{ id: user.id, name: user.email }] : [];
}
