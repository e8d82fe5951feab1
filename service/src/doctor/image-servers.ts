import { request } from 'node:https';
import type { Db } from '../db/connection.ts';
import type { DatabasePlace } from '../db/open.ts';
import { readIfRunning } from './database.ts';
import type { Finding } from './doctor.ts';

const longestMs = 5000;
const list = new Intl.ListFormat('en-GB');

/** An image server, and the operating systems whose images the location `local` still has to get from it. */
interface NeededServer {
  url: string;
  systems: string[];
}

/** Reports image servers that are needed and can't be reached: the first creates with their images would fail. */
export async function imageServerFindings(place: DatabasePlace): Promise<Finding[]> {
  const servers = (await readIfRunning(place, neededServers)) ?? [];
  return await Promise.all(servers.map(findingOf));
}

async function findingOf(server: NeededServer): Promise<Finding> {
  const { host } = new URL(server.url);
  const what = `image server ${host}`;
  const obstacle = await whyUnreachable(server);
  if (obstacle === undefined) return { what, state: 'ok', says: 'answers' };
  return {
    ...{ what, state: 'note' },
    says: `can't be reached (${obstacle}), so creates fail with ${list.format(server.systems)}, whose images are not here yet`,
    wayOut:
      `Let this machine reach ${server.url}, or set a proxy, which this check does not use: incus config set ` +
      'core.proxy_https=URL. Failed creates can then be retried.',
  };
}

/** Any response will do. Certificates are for Incus to check, which knows those of the installation's own image servers. */
function whyUnreachable({ url }: NeededServer): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = request(`${url.replace(/\/+$/, '')}/streams/v1/index.json`, {
      ...{ method: 'HEAD', timeout: longestMs, agent: false, rejectUnauthorized: false },
    });
    asked.on('response', (response) => {
      response.resume();
      resolve(undefined);
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${longestMs / 1000} s`)));
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.end();
  });
}

async function neededServers(db: Db): Promise<NeededServer[]> {
  const systems = await db
    .selectFrom('operating_systems as os')
    .innerJoin('locations', (join) => join.on('locations.name', '=', 'local'))
    .select(['os.name', 'os.version', 'os.source'])
    .where('os.enabled', '=', true)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('images')
            .select('os_id')
            .whereRef('images.os_id', '=', 'os.id')
            .whereRef('images.location_id', '=', 'locations.id')
            .where('images.status', '=', 'ready'),
        ),
      ),
    )
    .orderBy('os.id')
    .execute();
  const servers = new Map<string, NeededServer>();
  for (const { name, version, source } of systems) {
    if (!('server' in source)) continue;
    const { server: url } = source;
    const known = servers.get(url) ?? { url, systems: [] };
    servers.set(url, { ...known, systems: [...known.systems, `${name} ${version}`] });
  }
  return [...servers.values()];
}
