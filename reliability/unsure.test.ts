import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestToken } from '../service/src/testing/app.ts';
import { everLonger } from '../service/src/testing/ever-longer.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isWhole, nothingIsLeft, runningServer } from './servers.ts';

// Tests that unknown states are not guessed, and that a single report is not trusted.

const project = 'berth';

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds: 500 });
});
afterEach(() => laboratory.simulator.faults.clear());
after(() => laboratory.close());

async function realStatusIs(id: number, wanted: string): Promise<void> {
  const { real_status } = await laboratory.ask(`/servers/${id}/status`);
  assert.equal(real_status, wanted);
}

/** The response is cached for a second. */
const healthIs = (status: string) =>
  eventually(async () => assert.equal((await laboratory.ask('/health')).status, status));

describe('an engine that returns only errors', () => {
  it('makes its servers unavailable, and the health and the location report it', async () => {
    const { id } = await runningServer(laboratory, 'unknown');
    const error = { kind: 'error', text: 'database is locked', status: 500 } as const;
    laboratory.simulator.faults.add({ ...error, method: 'GET', path: '/instances' });
    await eventually(() => realStatusIs(id, 'unavailable'));
    const { headers } = await createTestToken(laboratory.database.db, { scopes: ['admin'] });
    const place = await laboratory.ask(`/locations/${laboratory.place.locationId}`, headers);
    assert.equal(place.reachable, false);
    assert.equal(place.unreachable_reason, 'The engine is busy with another operation.');
    await healthIs('failing');
    laboratory.simulator.faults.clear();
    await eventually(() => realStatusIs(id, 'started'));
    await healthIs('ok');
  });
});

describe('a location that is no longer watched', () => {
  it('is not known to be reachable', async () => {
    const { id } = await runningServer(laboratory, 'unwatched');
    // This is the state that a hanging watcher leaves. The watcher of this test can't record itself meanwhile.
    const { db } = laboratory.database;
    await sql`create function hang() returns trigger language plpgsql as $$
      begin new.watched_at := now() - interval '31 seconds'; return new; end $$`.execute(db);
    await sql`create trigger hang before update on locations
      for each row execute function hang()`.execute(db);
    try {
      await sql`update locations set watched_at = now()`.execute(db);
      await realStatusIs(id, 'unavailable');
    } finally {
      await sql`drop trigger hang on locations`.execute(db);
    }
    await eventually(() => realStatusIs(id, 'started'));
  });
});

describe('an instance that is not found once', () => {
  const notFound = { kind: 'error', text: 'Instance not found', status: 404, times: 1 } as const;

  it('is not created again during its commands', async () => {
    // It must be seen, and not be found, while its command runs. Only that may be too slow.
    const { serverId, name, before } = await everLonger(async (seconds) => {
      const hostname = `found-again-${Math.ceil(seconds)}`;
      const created = await laboratory.create(hostname, [`sleep ${seconds + 4}`]);
      const { name } = await laboratory.server(created.serverId);
      await eventually(async () => {
        const { status } = await laboratory.ask(`/servers/${created.serverId}/status`);
        assert.match(String(status), /running command/);
      });
      const before = (await laboratory.client.instances.get(name))?.created_at;
      const fault = { ...notFound, method: 'GET', path: `/instances/${name}$` };
      const takeBack = laboratory.simulator.faults.add(fault);
      await laboratory.ended(created.operation.id);
      assert.equal(takeBack(), false, 'one request did not find it');
      return { ...created, name, before };
    });
    assert.equal((await laboratory.client.instances.get(name))?.created_at, before);
    await isWhole(laboratory, serverId);
  });

  it('is stopped and started nevertheless', async () => {
    const { id, name } = await runningServer(laboratory, 'still-there');
    const fault = { ...notFound, method: 'GET', path: `/instances/${name}$` };
    for (const action of ['stop', 'start'] as const) {
      laboratory.simulator.faults.add(fault);
      await succeeds(laboratory, await laboratory.request(id, action));
    }
  });
});

describe('an instance that was renamed by hand', () => {
  for (const state of ['running', 'frozen'] as const) {
    it(`is deleted with its server while it is ${state}, before its addresses are assigned again`, async () => {
      const { administrator } = laboratory.simulator;
      const { id, name } = await runningServer(laboratory, `renamed-${state}`);
      const other = `zombie-${state}`;
      administrator.stop(project, name);
      administrator.rename(project, name, other);
      administrator.start(project, other);
      if (state === 'frozen') administrator.freeze(project, other);
      await succeeds(laboratory, await laboratory.request(id, 'delete'));
      assert.equal(await laboratory.client.instances.get(other), null);
      await nothingIsLeft(laboratory, id);
    });
  }
});
