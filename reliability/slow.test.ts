import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestToken } from '../service/src/testing/app.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { runningServer } from './servers.ts';

// Tests an engine, or a member of its cluster, that answers late or not at all. The timeouts are those of production;
// only the timeouts of the test are generous.

const forEver = { kind: 'delay', ms: 24 * 3_600_000 } as const;
const hello = { method: 'GET', path: '^/1\\.0$' } as const;

interface ShownNode {
  name: string;
  state: string;
  status_since: string;
  slow_since: string | null;
}

async function open(members: string[], sweepMilliseconds = 2000) {
  const laboratory = await openLaboratory({ members, sweepMilliseconds });
  const { db } = laboratory.database;
  const { headers } = await createTestToken(db, { scopes: ['admin'] });
  const node = async (name: string) =>
    (await laboratory.ask(`/nodes/${name}`, headers)) as unknown as ShownNode;
  const location = () => laboratory.ask(`/locations/${laboratory.place.locationId}`);
  const heldRequests = (count: number) =>
    eventually(async () => {
      assert.ok(laboratory.simulator.faults.delayed() >= count, `${count} looks wait`);
    });
  const realStatusIs = (id: number, wanted: string) =>
    eventually(async () => {
      assert.equal((await laboratory.ask(`/servers/${id}/status`)).real_status, wanted);
    });
  return { ...laboratory, node, location, heldRequests, realStatusIs };
}

/** A server on the node `b`. */
async function serverOnB(laboratory: Laboratory, name: string): Promise<number> {
  const { id } = await runningServer(laboratory, name);
  if ((await laboratory.server(id)).node !== 'b') {
    await succeeds(laboratory, await laboratory.move(id, 'b'));
  }
  return id;
}

const isIn = (state: string, node: () => Promise<ShownNode>) =>
  eventually(async () => assert.equal((await node()).state, state));

describe('a member of a cluster', () => {
  it('whose answers take 4 s is slow and stays online: its servers are available, and can be moved', async () => {
    const place = await open(['a', 'b']);
    await using _ = { [Symbol.asyncDispose]: place.close };
    const id = await serverOnB(place, 'patient');
    const b = () => place.node('b');
    await isIn('online', b);
    const { status_since: since } = await b();
    const { faults } = place.simulator;
    faults.add({ kind: 'delay', ms: 4000, target: 'b' });
    await eventually(async () => assert.ok((await b()).slow_since));
    const slow = await b();
    assert.deepEqual([slow.state, slow.status_since], ['online', since]);
    assert.match(await place.metrics(), /^berth_node_slow\{[^}]*node="b"[^}]*\} 1$/m);
    await place.realStatusIs(id, 'started');
    await succeeds(place, await place.move(id, 'a'));
    faults.clear();
    await eventually(async () => assert.equal((await b()).slow_since, null));
    const after = await b();
    assert.deepEqual([after.state, after.status_since], ['online', since]);
    assert.match(await place.metrics(), /^berth_node_slow\{[^}]*node="b"[^}]*\} 0$/m);
  });

  it('that misses two pings, and answers the third, was never offline', async () => {
    // Nothing else may send requests to it meanwhile.
    const place = await open(['a', 'b'], 3_600_000);
    await using _ = { [Symbol.asyncDispose]: place.close };
    const b = () => place.node('b');
    await isIn('online', b);
    // The last step that sends requests to each member when a location is first watched.
    await eventually(async () => {
      assert.partialDeepStrictEqual(await place.location(), {
        network_policy: { status: 'applied' },
      });
    });
    const { status_since: since } = await b();
    const goOn = place.simulator.faults.add({ ...forEver, ...hello, target: 'b' });
    const begun = performance.now();
    await place.heldRequests(3);
    assert.ok(performance.now() - begun >= 6000, 'the pings were not sent at once');
    goOn();
    await eventually(async () => assert.ok((await b()).slow_since));
    const { state, status_since } = await b();
    assert.deepEqual([state, status_since], ['online', since]);
  });

  it('that misses three pings is offline, without the others, and soon back', async () => {
    const place = await open(['a', 'b']);
    await using _ = { [Symbol.asyncDispose]: place.close };
    const id = await serverOnB(place, 'waits');
    const [a, b] = [() => place.node('a'), () => place.node('b')];
    await isIn('online', a);
    const { status_since: since } = await a();
    const goOn = place.simulator.faults.add({ ...forEver, target: 'b' });
    await isIn('offline', b);
    await place.realStatusIs(id, 'unavailable');
    assert.deepEqual([(await b()).slow_since, (await a()).status_since], [null, since]);
    assert.equal((await place.location()).reachable, true);
    goOn();
    await isIn('online', b);
    await place.realStatusIs(id, 'started');
    await eventually(async () => assert.equal((await b()).slow_since, null));
  });

  it('whose connection is refused is offline at once, and so is one that its cluster counts as such', async () => {
    const place = await open(['a', 'b']);
    await using _ = { [Symbol.asyncDispose]: place.close };
    const b = () => place.node('b');
    await isIn('online', b);
    for (const text of [
      'Get "https://10.0.0.2:8443/1.0": dial tcp 10.0.0.2:8443: connect: connection refused',
      'Target cluster member is offline',
    ]) {
      const asked = { ...hello, target: 'b' };
      // One refusal is sufficient: later requests get no response.
      const refuse = place.simulator.faults.add({ ...asked, kind: 'error', text, status: 500 });
      await isIn('offline', b);
      assert.equal(refuse(), true);
      await isIn('online', b);
    }
  });
});

describe('the one server of a location', () => {
  it('whose answers take 6 s is slow, and its location stays reachable', async () => {
    const place = await open([]);
    await using _ = { [Symbol.asyncDispose]: place.close };
    const { id } = await runningServer(place, 'patient');
    const { reachable_changed_at: since } = await changed(place);
    const node = () => place.node('simulated');
    place.simulator.faults.add({ kind: 'delay', ms: 6000, method: 'GET' });
    await eventually(async () => assert.ok((await node()).slow_since));
    assert.equal((await place.ask('/health')).status, 'ok');
    await place.realStatusIs(id, 'started');
    place.simulator.faults.clear();
    await eventually(async () => assert.equal((await node()).slow_since, null));
    assert.equal((await changed(place)).reachable_changed_at, since);
    assert.equal((await node()).state, 'online');
  });

  it('that misses three pings makes its location unreachable, and is soon back', async () => {
    const place = await open([]);
    await using _ = { [Symbol.asyncDispose]: place.close };
    const { id } = await runningServer(place, 'waits');
    await changed(place);
    const goOn = place.simulator.faults.add({ ...forEver, method: 'GET' });
    const begun = performance.now();
    await eventually(async () => assert.equal((await place.location()).reachable, false));
    assert.ok(performance.now() - begun >= 9000, 'a single attempt is not sufficient');
    await place.realStatusIs(id, 'unavailable');
    goOn();
    await eventually(async () => assert.equal((await place.location()).reachable, true));
    await place.realStatusIs(id, 'started');
  });

  it('whose event stream is interrupted stays reachable if it answers, and its events are received again', async () => {
    const place = await open([]);
    await using _ = { [Symbol.asyncDispose]: place.close };
    const { simulator } = place;
    const isFollowed = () =>
      eventually(async () =>
        assert.equal(simulator.followers(), 1, 'the event stream is connected'),
      );
    await isFollowed();
    const { reachable_changed_at: since } = await changed(place);
    simulator.cutEvents();
    assert.equal(simulator.followers(), 0);
    await isFollowed();
    assert.equal((await changed(place)).reachable_changed_at, since);
  });
});

async function changed({ database, place, location }: Awaited<ReturnType<typeof open>>) {
  await eventually(async () => assert.equal((await location()).reachable, true));
  const query = database.db.selectFrom('locations').select('reachable_changed_at');
  return await query.where('id', '=', place.locationId).executeTakeFirstOrThrow();
}
