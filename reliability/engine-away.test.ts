import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestToken } from '../service/src/testing/app.ts';
import { serverBody } from '../service/src/testing/servers.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { endIn, succeeds } from './operations.ts';
import { isRecordedAs, runningServer } from './servers.ts';
import { throughout } from './waiting.ts';

// Tests that the daemon of the engine, or a member of its cluster, is unreachable for a while. The
// guests keep running.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

const unreachable = /does not answer/;
/** It begins with neither the name of a class nor an address. */
const unfollowed =
  /^Incus (could not be reached: [a-z ]+ \([A-Z_]+\)|closed the event stream: \d+)$/;

/** The state as the API shows it, without an error. */
async function isShown(id: number, status: string, realStatus: string): Promise<void> {
  const server = await laboratory.ask(`/servers/${id}`);
  const { real_status } = await laboratory.ask(`/servers/${id}/status`);
  assert.deepEqual([server.status, server.error, real_status], [status, null, realStatus]);
}

async function isWell(): Promise<void> {
  const { reachable, unreachable_reason } = await laboratory.ask(`/locations/${place()}`);
  assert.deepEqual([reachable, unreachable_reason], [true, null]);
  assert.equal((await laboratory.ask('/health')).status, 'ok');
}

const place = () => laboratory.place.locationId;

describe('while the engine is away', { concurrency: true }, () => {
  const servers = { same: 0, changed: 0 };
  const comeBack = Promise.withResolvers<void>();
  let back: Promise<void>;
  let looking = 5;

  /** The engine is started again at the end of each test. */
  async function whileAway(look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } finally {
      looking -= 1;
      if (looking === 0) comeBack.resolve();
    }
  }

  before(async () => {
    await eventually(isWell);
    servers.same = (await runningServer(laboratory, 'runs-on')).id;
    const changed = await runningServer(laboratory, 'stopped-meanwhile');
    servers.changed = changed.id;
    back = laboratory.simulator.restartDaemon(comeBack.promise);
    laboratory.simulator.administrator.stop(project, changed.name);
  });

  it('the location and the health report it with the reason', async () => {
    const admin = await createTestToken(laboratory.database.db, { scopes: ['admin'] });
    await whileAway(async () => {
      await eventually(async () => {
        const location = await laboratory.ask(`/locations/${place()}`, admin.headers);
        assert.equal(location.reachable, false);
        assert.match(String(location.unreachable_reason), unfollowed);
      });
      // The response is cached for a second.
      await eventually(async () => {
        const { status, checks } = await laboratory.ask('/health');
        const all = checks as { name: string; status: string }[];
        const failing = all.filter((check) => check.status !== 'ok');
        assert.equal(status, 'failing');
        assert.deepEqual(
          failing.map(({ name }) => name),
          ['location test'],
        );
      });
    });
    await back;
    await eventually(isWell);
  });

  it('the log says once which location is unreachable, and once how long it was', async () => {
    const away = 'The Incus of a location is unreachable. What needs it is retried.';
    const again = 'The Incus of a location is reachable again.';
    /** Since it is away. */
    const logged = () => {
      const lines = laboratory.logged();
      return lines.slice(lines.findIndex(({ msg }) => msg === away));
    };
    // Once a minute, where this takes so long.
    const goesOn = 'The Incus of a location is still unreachable.';
    const words = () =>
      logged()
        .map(({ msg }) => msg)
        .filter((msg) => msg !== goesOn);
    await whileAway(async () => {
      await eventually(async () => {
        const pings = laboratory.statuses().find(({ reconciler }) => reconciler === 'engine');
        assert.ok((pings?.failures ?? 0) >= 2, 'it is come upon again and again');
      });
      assert.deepEqual(words(), [away]);
    });
    await back;
    await eventually(async () => assert.ok(words().length > 1));
    assert.deepEqual(words(), [away, again]);
    const [begin, end] = [logged()[0], logged().at(-1)];
    assert.deepEqual([begin?.location, end?.location], ['test', 'test']);
    assert.match(String(begin?.reason), /could not be reached/);
    assert.ok(Number(end?.seconds) > 0 && Number(end?.count) > 2);
  });

  it('a server keeps its status, and later shows what has changed', async () => {
    await whileAway(async () => {
      await eventually(() => isShown(servers.same, 'started', 'unavailable'));
      await isShown(servers.changed, 'started', 'unavailable');
      await throughout(1000, () => isRecordedAs(laboratory, servers.same, 'started'));
    });
    await back;
    const seen = eventually(() => isShown(servers.changed, 'stopped', 'stopped'));
    // Longer than the time between two checks for a missing instance.
    await throughout(2500, () => isRecordedAs(laboratory, servers.same, 'started'));
    await seen;
    await eventually(() => isShown(servers.same, 'started', 'started'));
  });

  it('a create waits, says why, and continues, and a dry run says that it would', async () => {
    const { serverId, operation } = await laboratory.create('waits');
    await whileAway(async () => {
      await saysThatItWaits(serverId);
      await eventually(async () => {
        const body = serverBody(laboratory.place);
        const dry = await laboratory.post('/servers/dry-run', undefined, body);
        assert.match(String(dry.json().warnings), unreachable);
      });
    });
    await back;
    await succeeds(laboratory, operation);
    await eventually(() => isShown(serverId, 'started', 'started'));
  });

  it('a create fails at its deadline with that reason, and can be retried', async () => {
    const { serverId, operation } = await laboratory.create('waits-too-long');
    await whileAway(async () => {
      await saysThatItWaits(serverId);
      await endIn(laboratory, operation.id, 0.1);
      const failed = await laboratory.ended(operation.id);
      assert.equal(failed.status, 'failed');
      assert.match(failed.error?.message ?? '', unreachable);
      const { status, error } = await laboratory.server(serverId);
      assert.equal(status, 'error');
      assert.match(error ?? '', unreachable);
    });
    await back;
    await succeeds(laboratory, await laboratory.request(serverId, 'retry'));
    await eventually(() => isShown(serverId, 'started', 'started'));
  });
});

async function saysThatItWaits(serverId: number): Promise<void> {
  await eventually(async () => {
    const { status, is_processing } = await laboratory.ask(`/servers/${serverId}/status`);
    assert.match(String(status), /^Creating the server: retrying because the node does not answer/);
    assert.equal(is_processing, true);
  });
}
