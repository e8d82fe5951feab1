import assert from 'node:assert/strict';
import { run } from '../../e2e/processes.ts';
import { dataDirectory, type Service } from '../../e2e/service.ts';
import { toolEntry } from '../../service/src/testing/tool.ts';
import { eventually } from '../../service/src/testing/until.ts';
import type { Names } from './cluster.ts';
import { incusOn, type Machine } from './machine.ts';
import type { Requests } from './requests.ts';

const imageSeconds = 900;

/** Adds the cluster as a location, as an administrator does: with a token, over HTTPS. */
export function addLocation(first: Machine, names: Names, { directory, databaseUrl }: Service) {
  const token = incusOn(first, ['config', 'trust', 'add', 'berth', '--quiet']).trim();
  const { project, pool, network } = names;
  const env = [`BERTH_DATA_DIR=${dataDirectory(directory)}`, `DATABASE_URL=${databaseUrl}`];
  const place = ['--project', project, '--pool', pool, '--network', network];
  const command = [
    process.execPath,
    toolEntry,
    'location',
    'add',
    'cluster',
    '--token',
    token,
    ...place,
  ];
  return run('env', [...env, 'BERTH_LOCAL=false', ...command]);
}

/** Makes a single replica build and store the image of the operating system. */
export async function ensureImage(requests: Requests): Promise<void> {
  const path = '/operating-systems/1/images';
  const { status, body } = await requests.send('POST', path, { location_id: 1 });
  assert.equal(status, 202, JSON.stringify(body));
  let image: { status: string; message: string } | undefined;
  await eventually(async () => {
    [image] = await requests.get<NonNullable<typeof image>[]>(path);
    assert.match(image?.status ?? '', /^(ready|failed)$/, image?.message);
  }, imageSeconds);
  assert.equal(image?.status, 'ready', image?.message);
}
