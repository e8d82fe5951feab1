import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { enterServer, operationUnderWay } from '../../testing/servers.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { resizeOperation } from '../operations/resize.ts';
import { setServerResized } from '../worker-queries.ts';

// Each server has 1 core, 256 MiB and 2 GiB. The largest node has 4 cores, 4096 MiB and 100 GiB.

const { db, place, ask, close } = await createWholeApp({ nodeRamMb: 1024 });
after(close);

beforeEach(async () => {
  await sql`update servers set deleted_at = now() where deleted_at is null`.execute(db);
  await sql`update nodes set gone = true where name <> 'node-1'`.execute(db);
  await setNode({ status: 'online', member: null, cordoned: false, cpu: 4, disk_gb: 100 });
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

/** Ends the resize of a server like its worker, with this size, or as a failure. */
async function end(id: number, size?: { cpu: number; ramMb: number; diskGb: number }) {
  const operation = await operationUnderWay(db, id);
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('operations')
      .set({ status: size ? 'succeeded' : 'failed', finished_at: new Date() })
      .where('id', '=', operation.id)
      .execute();
    if (size) return await setServerResized(trx, id, size);
    await resizeOperation.failed(trx, { ...operation, server_id: id }, 'It failed.');
  });
}

async function addNode(name: string, values: object = {}): Promise<void> {
  await db
    .insertInto('nodes')
    .values({
      ...{ location_id: place.locationId, name, member: name, status: 'online', cpu: 4 },
      ...{ ram_mb: 4096, disk_gb: 100, ...values },
    })
    .execute();
}

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

  it('is in the audit log with what was requested', async () => {
    const id = await enterServer(db, place);
    await resize(id, { cpu: 2, allow_move: true });
    const path = `/audit?target_kind=server&target_id=${id}&action=server_resize`;
    const [{ details }] = (await ask('GET', path)).json();
    assert.deepEqual(details, { cpu: 2, allow_move: true });
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
      [{}, [''], /^The body must have at least one of `cpu`, `ram` and `disk`\.$/],
      [{ allow_move: true }, [''], /must have at least one/],
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

  it('if it would have less memory than it was just seen to use', async () => {
    const id = await enterServer(db, place);
    const read = (mb: number, at: Date) =>
      sql`
        insert into usage_current (server_id, read_at, cpu_seconds, cpu_percent, ram_mb)
        values (${id}, ${at}, 1, 0, ${mb})
        on conflict (server_id) do update set read_at = excluded.read_at, ram_mb = excluded.ram_mb
      `.execute(db);
    await read(199.5, new Date());
    const { detail, asked, used: inUse } = await refused(id, { ram: 199 }, 409, 'memory_in_use');
    assert.match(detail, /uses 200 MiB of memory, and would have 199 MiB/);
    assert.deepEqual([asked, inUse], [199, 200]);
    await read(199.5, new Date(Date.now() - 120_000));
    assert.equal((await resize(id, { ram: 199 })).statusCode, 202, 'the figure is too old');
    const stopped = await enterServer(db, place, { status: 'stopped' });
    assert.equal((await resize(stopped, { ram: 199 })).statusCode, 202);
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

it('concurrent resizes do not give a node or a project more than it has', async () => {
  await db.updateTable('projects').set({ max_cpu: 6 }).execute();
  await setNode({ cpu: 100 });
  const ids = [1, 2, 3].map(() => enterServer(db, place));
  const answers = await Promise.all((await Promise.all(ids)).map((id) => resize(id, { cpu: 3 })));
  const codes = answers.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(codes, [202, 403, 403]);
  assert.deepEqual((await used())[0], 5);
});
