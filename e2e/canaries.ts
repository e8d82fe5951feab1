import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIncusClient } from '../service/src/incus/client.ts';
import { directory, incusProject, incusSocket, metrics } from './api.ts';
import { dumpDatabase } from './database.ts';
import { dataDirectory, serviceLog } from './service.ts';

/**
 * Asserts that neither a canary nor one of the other secrets is outside the guest of a server: not in rows, logs, metrics
 * or the configuration of its instance. The canary is also searched for in the files of PostgreSQL and Incus.
 */
export async function isNowhere(
  canary: string,
  { uuid }: { uuid: string },
  others: string[] = [],
): Promise<void> {
  const secrets = [canary, Buffer.from(canary).toString('hex'), ...others];
  const dump = await dumpDatabase(directory());
  assert.ok(dump.includes(uuid), 'the dump shows the server');
  assertNone(secrets, 'a dump of the database', dump);
  assertNone(secrets, 'the log', readFileSync(serviceLog(directory()), 'utf8'));
  assertNone(secrets, 'the metrics', await metrics());
  assertNone(secrets, 'the instance', await instanceConfiguration(uuid));
  assertNoFile(canary, dataDirectory(directory()));
  assertNoFile(canary, join(directory(), 'incus', 'logs'));
  assertNoFile(canary, join(directory(), 'incus', 'database'));
}

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
