import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { OperationKind } from '../../operations/define.ts';
import { untilWaiting } from '../../testing/locks.ts';
import { thisMonthAndNext } from '../../testing/months.ts';
import { enterServer, operationUnderWay } from '../../testing/servers.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import type { Sizes } from '../engine/size.ts';
import { resizeOperation } from '../operations/resize.ts';
import { setServerResized } from '../worker-queries.ts';

// Each server has 1 core, 256 MiB and 2 GiB. The largest node has 4 cores, 4096 MiB and 100 GiB.

const { db, place, ask, close } = await createWholeApp({ nodeRamMb: 1024 });
after(close);

beforeEach(async () => {
  await sql`update servers set deleted_at = now() where deleted_at is null`.execute(db);
  await sql`update nodes set gone = true where name <> 'node-1'`.execute(db);
  await setNode({ status: 'online', gone: false, evacuated: false, member: null });
  await setNode({ cordoned: false, cpu: 4, disk_gb: 100 });
  await db.updateTable('locations').set({ overcommit_cpu: 1, overcommit_disk: 1 }).execute();
  await db
    .updateTable('projects')
    .set({ max_servers: null, max_cpu: null, max_ram_mb: null, max_disk_gb: null })
    .execute();
});

await db.updateTable('operating_systems').set({ min_ram_mb: 128 }).execute();

const resize = (id: number, body: object) => ask('POST', `/servers/${id}/resize`, { body });
const setNode = (values: object, name = 'node-1') =>
  db.updateTable('nodes').set(values).where('name', '=', name).execute();

/** What a node has allocated: cores, MiB and GiB. */
async function allocated(name = 'node-1'): Promise<number[]> {
  const node = await db
    .selectFrom('nodes')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return [node.allocated_cpu, node.allocated_ram_mb, node.allocated_disk_gb];
}

/** What the project has used of its quota, in the same units. */
async function used(): Promise<number[]> {
  const project = await db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', place.projectId)
    .executeTakeFirstOrThrow();
  return [project.used_cpu, project.used_ram_mb, project.used_disk_gb];
}

/** Ends the resize of a server like its worker, with this size, or as a failure after which it keeps its size. */
async function end(id: number, size?: { cpu: number; ramMb: number; diskGb: number }) {
  const operation = await operationUnderWay(db, id);
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('operations')
      .set({ status: size ? 'succeeded' : 'failed', finished_at: new Date() })
      .where('id', '=', operation.id)
      .execute();
    if (size) return await setServerResized(trx, id, size);
    const { sizes } = operation.state as { sizes: Sizes };
    const state = { ...operation.state, held: sizes.before };
    await resizeOperation.failed(trx, { ...operation, state, server_id: id }, 'It failed.');
  });
}

/** Returns its id. */
async function addNode(name: string, values: object = {}): Promise<number> {
  const { id } = await db
    .insertInto('nodes')
    .values({
      ...{ location_id: place.locationId, name, member: name, status: 'online', cpu: 4 },
      ...{ ram_mb: 4096, disk_gb: 100, ...values },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const setServer = (id: number, values: object) =>
  db.updateTable('servers').set(values).where('id', '=', id).execute();

describe('a resize', () => {
  it('is accepted for a running and a stopped server, and records both sizes', async () => {
    for (const status of ['started', 'stopped'] as const) {
      const id = await enterServer(db, place, { status });
      const answer = await resize(id, { cpu: 2, disk: 3 });
      assert.equal(answer.statusCode, 202, answer.body);
      const { kind, state } = await operationUnderWay(db, id);
      const before = { cpu: 1, ramMb: 256, diskGb: 2 };
      const wanted = { cpu: 2, ramMb: 256, diskGb: 3 };
      assert.deepEqual([kind, state], ['resize', { sizes: { before, wanted }, moves: false }]);
      const { specifications } = (await ask('GET', `/servers/${id}`)).json();
      assert.deepEqual(specifications, { cpu: 1, ram: 256, disk: 2 }, 'it has it when it is done');
      await end(id, wanted);
      const now = (await ask('GET', `/servers/${id}`)).json();
      assert.deepEqual(now.specifications, { cpu: 2, ram: 256, disk: 3 });
    }
  });

  it('is in the audit log with both sizes', async () => {
    const id = await enterServer(db, place);
    await resize(id, { cpu: 2, ram: 256, disk: 3, allow_move: true });
    const path = `/audit?target_kind=server&target_id=${id}&action=server_resize`;
    const [{ details }] = (await ask('GET', path)).json();
    assert.deepEqual(details, {
      cpu: { before: 1, after: 2 },
      disk: { before: 2, after: 3 },
      allow_move: true,
    });
  });

  it('holds the larger of both sizes until it ends, and is released if it fails', async () => {
    const id = await enterServer(db, place);
    assert.deepEqual(
      [await allocated(), await used()],
      [
        [1, 256, 2],
        [1, 256, 2],
      ],
    );
    assert.equal((await resize(id, { cpu: 3, ram: 200, disk: 5 })).statusCode, 202);
    assert.deepEqual(
      [await allocated(), await used()],
      [
        [3, 256, 5],
        [3, 256, 5],
      ],
    );
    await end(id);
    assert.deepEqual(
      [await allocated(), await used()],
      [
        [1, 256, 2],
        [1, 256, 2],
      ],
    );
    await resize(id, { cpu: 3, ram: 200, disk: 5 });
    await end(id, { cpu: 3, ramMb: 200, diskGb: 5 });
    assert.deepEqual(
      [await allocated(), await used()],
      [
        [3, 200, 5],
        [3, 200, 5],
      ],
    );
  });

  it('that a delete supersedes holds nothing once the server is deleted', async () => {
    const id = await enterServer(db, place);
    await resize(id, { cpu: 2, ram: 512 });
    assert.equal((await ask('DELETE', `/servers/${id}`)).statusCode, 202);
    await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', id).execute();
    assert.deepEqual(
      [await allocated(), await used()],
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
    );
  });

  it('takes the place of a reservation that was left, which is not counted as well', async () => {
    const id = await enterServer(db, place);
    await setServer(id, { resizing_cpu: 3, resizing_ram_mb: 256, resizing_disk_gb: 2 });
    assert.deepEqual([await allocated(), (await used())[0]], [[3, 256, 2], 3]);
    await setNode({ cpu: 4 });
    await db.updateTable('projects').set({ max_cpu: 4 }).execute();
    assert.equal((await resize(id, { cpu: 4 })).statusCode, 202);
    assert.deepEqual([await allocated(), (await used())[0]], [[4, 256, 2], 4]);
    await end(id);
    await setServer(id, { resizing_cpu: 3, resizing_ram_mb: 256, resizing_disk_gb: 2 });
    assert.equal((await resize(id, { cpu: 2 })).statusCode, 202);
    assert.deepEqual([await allocated(), (await used())[0]], [[2, 256, 2], 2]);
  });

  it('does not consult figures of the memory that may be old', async () => {
    const id = await enterServer(db, place);
    await sql`
      insert into usage_current (server_id, read_at, cpu_seconds, cpu_percent, ram_mb)
      values (${id}, now(), 1, 0, 255)`.execute(db);
    assert.equal((await resize(id, { ram: 199 })).statusCode, 202);
  });

  it('to the present size is accepted', async () => {
    const id = await enterServer(db, place);
    assert.equal((await resize(id, { cpu: 1, ram: 256, disk: 2 })).statusCode, 202);
    assert.deepEqual(await allocated(), [1, 256, 2]);
  });

  it('begins a span of usage when it is done', async () => {
    const id = await enterServer(db, place);
    await resize(id, { cpu: 2, disk: 4 });
    const spans = () =>
      db
        .selectFrom('server_spans')
        .select(['cpu', 'ram_mb', 'disk_gb', 'to_at'])
        .where('server_id', '=', id)
        .where('is_running', '=', true)
        .orderBy('id')
        .execute();
    assert.deepEqual(await spans(), [{ cpu: 1, ram_mb: 256, disk_gb: 2, to_at: null }]);
    await end(id, { cpu: 2, ramMb: 256, diskGb: 4 });
    const [before, after] = await spans();
    assert.ok(before?.to_at);
    assert.deepEqual(after, { cpu: 2, ram_mb: 256, disk_gb: 4, to_at: null });
  });
});

describe('a resize is refused', () => {
  const refused = async (id: number, body: object, status: number, code: string) => {
    const before = [await allocated(), await used()];
    const answer = await resize(id, body);
    assert.deepEqual([answer.statusCode, answer.json().code], [status, code], answer.body);
    assert.deepEqual([await allocated(), await used()], before, 'nothing is reserved');
    return answer.json();
  };

  it('without a size, for a smaller disk, and beyond the limits of the location', async () => {
    const id = await enterServer(db, place);
    const cases: [body: object, pointers: string[], words: RegExp][] = [
      [{}, [''], /^The body must have `size`, or at least one of `cpu`, `ram` and `disk`\.$/],
      [{ allow_move: true }, [''], /must have `size`, or at least one/],
      [{ disk: 1 }, ['/disk'], /^\/disk: Must be at least 2 GiB, .* a disk can't shrink/],
      [{ cpu: 5 }, ['/cpu'], /Must be from 1 to 4 cores/],
      [{ ram: 64, disk: 101 }, ['/ram', '/disk'], /Must be from 128 to 1024 MiB.*100 GiB/],
      [{ cpu: 2.5 }, ['/cpu'], /an integer/],
      [{ cpu: 2, allow_move: 'yes' }, ['/allow_move'], /true or false/],
    ];
    for (const [body, pointers, words] of cases) {
      const { errors, detail } = await refused(id, body, 422, 'validation_failed');
      assert.deepEqual(
        errors.map(({ pointer }: { pointer: string }) => pointer),
        pointers,
      );
      assert.match(detail, words);
    }
  });

  it('beyond the quota, of which only what grows is compared', async () => {
    const id = await enterServer(db, place);
    await db.updateTable('projects').set({ max_cpu: 2, max_ram_mb: 128, max_disk_gb: 3 }).execute();
    const { detail } = await refused(id, { cpu: 3 }, 403, 'quota_exceeded');
    assert.match(detail, /limit 2 cores, used 1, requested 2/);
    await refused(id, { ram: 257 }, 403, 'quota_exceeded');
    assert.equal((await resize(id, { cpu: 2, disk: 3 })).statusCode, 202);
  });

  it('without room on its node', async () => {
    const [id] = [await enterServer(db, place), await enterServer(db, place)];
    const cases: [body: object, lack: string, words: RegExp][] = [
      [{ ram: 769 }, 'ram', /node-1 has no room for the new size of the server: it lacks memory/],
      [{ cpu: 4 }, 'cpu', /lacks cores\. Ask for less\.$/],
      [{ disk: 99 }, 'disk', /lacks disk/],
    ];
    for (const [body, lack, words] of cases) {
      const answer = await refused(id, { ...body, allow_move: true }, 409, 'no_capacity');
      assert.match(answer.detail, words);
      assert.deepEqual([answer.lacking, answer.excluded], [[lack], { [lack]: 1 }]);
    }
    assert.equal((await resize(id, { ram: 768, cpu: 3, disk: 98 })).statusCode, 202);
    assert.deepEqual(await allocated(), [4, 1024, 100]);
  });

  it('in another state, and during another operation', async () => {
    for (const status of ['paused', 'error'] as const) {
      const id = await enterServer(db, place, { status });
      await refused(id, { cpu: 2 }, 409, 'server_not_resizable');
    }
    const busy = await enterServer(db, place, { operation: 'restart' });
    await refused(busy, { cpu: 2 }, 409, 'operation_in_progress');
  });

  it('if its node can do nothing for it now, whatever the size', async () => {
    const id = await enterServer(db, place);
    for (const [state, words] of [
      [{ status: 'offline' }, /node-1 does not answer, so the server cannot be resized now/],
      [{ status: 'online', gone: true }, /does not answer/],
      [{ gone: false, evacuated: true }, /is evacuated/],
    ] as const) {
      await setNode(state);
      for (const body of [{ cpu: 2 }, { ram: 200 }, { cpu: 2, allow_move: true }]) {
        const { detail } = await refused(id, body, 409, 'node_offline');
        assert.match(detail, words);
      }
    }
  });

  it('until it was seen where it is after a move that failed', async () => {
    const id = await enterServer(db, place);
    const other = await addNode('unsettled');
    await setServer(id, { moving_to: other });
    for (const body of [{ cpu: 2 }, { ram: 200 }]) {
      const { detail } = await refused(id, body, 503, 'unavailable');
      assert.match(detail, /finding out on which node the server is/);
    }
    assert.deepEqual(await allocated('unsettled'), [1, 256, 2]);
    await setServer(id, { moving_to: null });
    assert.equal((await resize(id, { cpu: 2 })).statusCode, 202);
    assert.deepEqual(await allocated(), [2, 256, 2]);
    assert.deepEqual(await allocated('unsettled'), [0, 0, 0]);
  });

  it('while it runs although its traffic allowance is used up', async (t) => {
    const policy = (traffic_policy: 'stop' | 'none') =>
      db.updateTable('locations').set({ traffic_policy }).execute();
    await policy('stop');
    t.after(() => policy('none'));
    const id = await enterServer(db, place);
    await setServer(id, { traffic_allowance: 0 });
    const counted = { server_id: id, incoming: 1, outgoing: 1 };
    const months = thisMonthAndNext().map((month) => ({ ...counted, month }));
    await db.insertInto('traffic_months').values(months).execute();
    const { detail } = await refused(id, { cpu: 2 }, 409, 'traffic_exceeded');
    assert.match(detail, /used up\. Berth is about to stop the server/);
    const allowed = async () => (await ask('GET', `/servers/${id}`)).json().allowed_actions;
    assert.ok(!(await allowed()).includes('resize'));
    await setServer(id, { status: 'stopped' });
    assert.ok((await allowed()).includes('resize'));
    assert.equal((await resize(id, { cpu: 2 })).statusCode, 202);
  });
});

describe('a server that may move', () => {
  it('stays on its node if there is room, even if that is cordoned', async () => {
    await setNode({ member: 'node-1', cordoned: true });
    await addNode('roomy-1');
    const id = await enterServer(db, place);
    assert.equal((await resize(id, { ram: 1024, allow_move: true })).statusCode, 202);
    assert.deepEqual(
      [await allocated(), await allocated('roomy-1')],
      [
        [1, 1024, 2],
        [0, 0, 0],
      ],
    );
  });

  it('gets room on another node, and keeps what it has on its own until it has moved', async () => {
    await setNode({ member: 'node-1' });
    await addNode('roomy-2');
    await db.updateTable('locations').set({ max_ram_mb: 4096 }).execute();
    const id = await enterServer(db, place);
    const plain = await resize(id, { ram: 2048 });
    assert.deepEqual([plain.statusCode, plain.json().code], [409, 'no_capacity']);
    assert.match(plain.json().detail, /set allow_move: the server then moves/);
    const answer = await resize(id, { cpu: 2, ram: 2048, allow_move: true });
    assert.equal(answer.statusCode, 202, answer.body);
    const { state, placement } = await operationUnderWay(db, id);
    const { moves, to } = state as { moves: boolean; to: { name: string } };
    assert.deepEqual([moves, to.name, placement?.node], [true, 'roomy-2', 'roomy-2']);
    assert.deepEqual(
      [await allocated(), await allocated('roomy-2')],
      [
        [1, 256, 2],
        [2, 2048, 2],
      ],
    );
    assert.deepEqual(await used(), [2, 2048, 2]);
    await end(id);
    assert.deepEqual(await used(), [1, 256, 2]);
    assert.deepEqual(await allocated('roomy-2'), [1, 256, 2], 'until it was seen where it is');
  });

  it('is refused if its node does not answer, or no other node has room', async () => {
    await setNode({ member: 'node-1', status: 'offline' });
    await addNode('small', { cpu: 1 });
    const id = await enterServer(db, place);
    const wanted = { cpu: 2, ram: 1025, allow_move: true };
    const offline = await resize(id, wanted);
    assert.deepEqual([offline.statusCode, offline.json().code], [409, 'node_offline']);
    await setNode({ status: 'online' });
    const nowhere = await resize(id, wanted);
    assert.deepEqual([nowhere.statusCode, nowhere.json().code], [409, 'no_capacity']);
    assert.match(nowhere.json().detail, /No node has room for 2 cores, 1025 MiB, 2 GiB/);
  });
});

it('the end of a resize with a move locks the nodes by their ids, as every change of two nodes', async () => {
  const from = { id: await addNode('higher'), name: 'higher' };
  const to = { id: place.nodeId, name: 'node-1', member: 'node-1' };
  assert.ok(to.id < from.id);
  const id = await enterServer(db, { ...place, nodeId: from.id }, { status: 'stopped' });
  const resizing = { resizing_cpu: 2, resizing_ram_mb: 256, resizing_disk_gb: 2 };
  await setServer(id, { moving_to: to.id, ...resizing });
  const before = { cpu: 1, ramMb: 256, diskGb: 2 };
  const sizes = { before, wanted: { ...before, cpu: 2 } };
  const { steps }: OperationKind = resizeOperation;
  const result = await steps.start?.run({
    incus: { instances: { get: async () => ({ status: 'Stopped', location: to.member }) } },
    operation: { state: { sizes, from, to, moves: true, ran: false } },
    server: { id, uuid: crypto.randomUUID() },
    settings: { stopTimeoutSeconds: 1 },
    signal: new AbortController().signal,
  });
  assert.ok(result?.outcome === 'done' && 'write' in result);
  const { ending } = await db.transaction().execute(async (trx) => {
    const node = (nodeId: number) =>
      sql`select from nodes where id = ${nodeId} for no key update nowait`.execute(trx);
    await node(to.id);
    const written = db.transaction().execute(result.write);
    written.catch(() => undefined);
    await untilWaiting(db, 1);
    await node(from.id);
    return { ending: written };
  });
  await ending;
  const { cpu, node_id, moving_to, resizing_cpu } = await db
    .selectFrom('servers')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  assert.deepEqual([cpu, node_id, moving_to, resizing_cpu], [2, to.id, null, null]);
  assert.deepEqual(await allocated(), [2, 256, 2]);
  assert.deepEqual(await allocated('higher'), [0, 0, 0]);
});

it('concurrent resizes do not give a node or a project more than it has', async () => {
  await db.updateTable('projects').set({ max_cpu: 6 }).execute();
  await setNode({ cpu: 100 });
  const ids = [1, 2, 3].map(() => enterServer(db, place));
  const answers = await Promise.all((await Promise.all(ids)).map((id) => resize(id, { cpu: 3 })));
  const codes = answers.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(codes, [202, 403, 403]);
  assert.deepEqual((await used())[0], 5);
});
