import assert from 'node:assert/strict';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../e2e/database.ts';
import { until } from '../service/src/testing/until.ts';
import { settle } from './chaos/verdict.ts';
import { type World, worlds } from './chaos/worlds.ts';
import { type Asked, ask, create } from './load.ts';

// Fills the disk of a whole Berth, with its database and logs, and frees the space again. full-disk.test.ts runs this
// with a small separate disk.

const isOfFullDisk = /the data directory is on a disk that is full \(ENOSPC\)|its disk is full/;
const fillerIn = (directory: string) => join(directory, 'filler');

await worlds.simulator(async (world) => {
  const accepted = { servers: new Set<number>(), operations: new Set<number>() };
  const make = async () => {
    const asked = await create(world.service, 'full');
    if (asked.status === 201 && asked.body.id) accepted.servers.add(asked.body.id);
    return asked;
  };

  await serves(make);
  const makeRoom = await fill(world.directory);
  await refusesForLackOfRoom(make, world);
  makeRoom();
  await serves(make);
  console.log('Without space for rows, requests were refused, and accepted again later.');

  const makeRoomAgain = await fill(world.directory);
  await endPostgres(world);
  await refusesForLackOfRoom(make, world);
  await sleep(1000);
  makeRoomAgain();
  await serves(make);
  console.log('Without space for its write-ahead log, PostgreSQL ended, and was started again.');

  await until(
    'the service is healthy',
    () => ask(world.service, 'GET', '/health'),
    ({ status }) => status === 200,
  );
  await settle(world, accepted);
});

/** Takes all free space, and what others free meanwhile. Returns a function that frees it. */
async function fill(directory: string): Promise<() => void> {
  await until(
    'the disk is full',
    () => {
      takeSpace(directory);
      return statfsSync(directory).bavail;
    },
    (blocks) => blocks === 0,
  );
  return () => rmSync(fillerIn(directory));
}

/** Writes until there is no space. */
function takeSpace(directory: string): void {
  const file = openSync(fillerIn(directory), 'a');
  const block = Buffer.alloc(4096, 1);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Sends requests until one is refused for lack of space: some rows still fit into existing files.
 */
async function refusesForLackOfRoom(make: () => Promise<Asked>, world: World): Promise<void> {
  for (let requests = 0; requests < 500; requests += 1) {
    const { status, retryAfter, body } = await make();
    if (status === 201) continue;
    assert.equal(status, 503, JSON.stringify(body));
    assert.match(retryAfter ?? '', /^[1-9]\d*$/);
    await until(
      'its health says that the disk is full',
      () => {
        // PostgreSQL frees some space when it ends, and then the disk is not full.
        takeSpace(world.directory);
        return ask(world.service, 'GET', '/health/ready');
      },
      (seen) => seen.status === 503 && isOfFullDisk.test(JSON.stringify(seen.body)),
    );
    return;
  }
  assert.fail('No request was refused.');
}

async function serves(make: () => Promise<Asked>): Promise<void> {
  await until('it serves', make, ({ status, body }) => {
    if (status !== 201) assert.equal(status, 503, JSON.stringify(body));
    return status === 201;
  });
}

/** Makes PostgreSQL need another file for its write-ahead log, so that it crashes without space. */
async function endPostgres({ directory }: World): Promise<void> {
  for (let segments = 0; segments < 20; segments += 1) {
    const [ended] = await Promise.allSettled([
      query(directory, `select pg_switch_wal(), pg_logical_emit_message(true, 'fill', 'x')`),
    ]);
    if (ended.status === 'rejected') return;
  }
  assert.fail('PostgreSQL can still write.');
}
