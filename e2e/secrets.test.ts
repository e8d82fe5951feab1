import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createIncusClient } from '../service/src/incus/client.ts';
import {
  create,
  directory,
  incusProject,
  incusSocket,
  metrics,
  password,
  primaryAddress,
  remove,
  untilIdle,
  view,
} from './api.ts';
import { dumpDatabase } from './database.ts';
import { dataDirectory, serviceLog } from './service.ts';
import { ssh } from './ssh.ts';

const canary = 'canary-7f3d9a';

test('no secret is left anywhere after a create', async () => {
  const { id } = await create({
    initialCommands: [`true ${canary}`, ['true', canary], `false ${canary}`],
  });
  await untilIdle(id);
  const server = await view(id);
  const secrets = [canary, password, Buffer.from(canary).toString('hex'), '$6$'];

  const dump = await dumpDatabase(directory());
  assert.ok(dump.includes(server.uuid), 'the dump shows the server');
  assertNone(secrets, 'a dump of the database', dump);
  assertNone(secrets, 'the log', readFileSync(serviceLog(directory()), 'utf8'));
  assertNone(secrets, 'the metrics', await metrics());
  assertNone(secrets, 'the instance', await instanceConfiguration(server.uuid));
  assertNoFile(canary, dataDirectory(directory()));
  assertNoFile(canary, join(directory(), 'incus', 'logs'));
  assertNoFile(canary, join(directory(), 'incus', 'database'));
  const guest = await ssh(
    primaryAddress(server),
    'grep -rslF canary-7f3d9 /var/lib /var/log /etc /run /tmp /root 2>/dev/null; ls -d /var/lib/berth 2>&1 || true',
  );
  assert.match(guest, /^ls: cannot access '\/var\/lib\/berth'/);
  await remove(id);
});

function assertNone(secrets: string[], where: string, text: string): void {
  for (const secret of secrets)
    assert.equal(text.includes(secret), false, `${where} has ${secret}`);
}

/** Also in the files of PostgreSQL: what is written there at all is encrypted. */
function assertNoFile(secret: string, folder: string): void {
  const args = ['-rlF', '--binary-files=text', secret, folder];
  assert.throws(() => execFileSync('grep', args, { encoding: 'utf8' }), { status: 1, stdout: '' });
}

async function instanceConfiguration(uuid: string): Promise<string> {
  const incus = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  const instance = await incus.instances.get(`srv-${uuid}`);
  await incus.close();
  assert.ok(instance?.config['cloud-init.user-data'], 'the instance is not shown');
  return JSON.stringify(instance);
}
