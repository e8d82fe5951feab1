import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditEntry } from '../../contract/src/audit.ts';
import type { Operation } from '../../contract/src/operations.ts';
import type { Server, ServerStatusRecord } from '../../contract/src/servers.ts';
import { type Berth, end, newDirectory, startBerth } from './berth.ts';

async function call<T>({ url, token }: Berth, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      prefer: 'wait=60',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(70_000),
  });
  return { status: response.status, body: (await response.json()) as T };
}

describe('the whole product on the simulator', () => {
  it('reports that its servers are not real, and manages one from its create to its delete', async () => {
    const directory = newDirectory();
    const berth = await startBerth(directory);
    assert.match(berth.output(), /^\s*SIMULATED: the servers of this Berth are not real\./);
    assert.doesNotMatch(berth.output(), /ssh|run on/);
    assert.match(berth.output(), /npx berth login \S+ --token-stdin < \S+\/admin-token\n/);
    assert.match(berth.output(), /Your first server,[\s\S]*--location local --os debian-12 /);
    assert.ok(
      !berth.output().includes(berth.token),
      'the token is not printed, because journals are stored',
    );
    const { status, body: server } = await call<{ id: number }>(berth, 'POST', 'servers', {
      name: 'simulated.example.org',
      location_id: 1,
      os_id: 1,
      password: 'Correct-Horse-9',
      initialCommands: ['echo hello', 'exit 3', 'poweroff', 'echo on', 'poweroff'],
      cpu: 1,
      ram: 512,
      disk: 5,
    });
    assert.equal(status, 201);
    const path = `servers/${server.id}`;
    const now = async () => (await call<{ status: string }>(berth, 'GET', path)).body.status;
    assert.equal(await now(), 'started');
    await showsFailedCommands(berth, server.id);
    for (const [action, expected] of [
      ['stop', 'stopped'],
      ['start', 'started'],
      ['restart', 'started'],
    ]) {
      await call(berth, 'POST', `${path}/${action}`, {});
      assert.equal(await now(), expected);
    }
    await call(berth, 'DELETE', path);
    assert.equal((await call(berth, 'GET', path)).status, 404);
    await end(berth.process);
    assert.equal(berth.process.exitCode, 0);
    assert.match(berth.output(), /Stopped\.\s*$/);
    assert.equal(berth.output().match(/forgets/g)?.length, 1, 'the notice is printed once');
    const again = await startBerth(directory);
    assert.doesNotMatch(
      again.output(),
      /Your first server|curl/,
      'the example is printed only at the first start',
    );
    assert.match(again.output(), /The admin token is in \S+\/admin-token,/);
    await end(again.process);
  });
});

/** The second of the five commands failed. */
async function showsFailedCommands(berth: Berth, id: number): Promise<void> {
  const read = async <T>(path: string) => (await call<T>(berth, 'GET', path)).body;
  const [listed] = await read<Operation[]>(`operations?server_id=${id}`);
  // Lists omit the output of commands.
  const operation = await read<Operation>(`operations/${listed?.id}`);
  const measured = operation?.commands?.every(({ duration_ms }) => Number.isInteger(duration_ms));
  assert.ok(measured);
  assert.deepEqual(
    operation?.commands?.map(({ duration_ms: _, ...command }) => command),
    [
      { index: 0, exit_status: 0, output: 'hello\n', output_expired: false, output_note: null },
      { index: 1, exit_status: 3, output: '', output_expired: false, output_note: null },
      { index: 2, exit_status: 0, output: '', output_expired: false, output_note: null },
      { index: 3, exit_status: 0, output: 'on\n', output_expired: false, output_note: null },
      { index: 4, exit_status: 0, output: '', output_expired: false, output_note: null },
    ],
  );
  const { initial_commands: commands } = await read<Server>(`servers/${id}`);
  assert.deepEqual(commands, { total: 5, failed: 1 });
  const { status } = await read<ServerStatusRecord>(`servers/${id}/status`);
  assert.match(status, /^The server is running\. 1 of its 5 initial commands failed\./);
  const [entry] = await read<AuditEntry[]>('audit?action=initial_commands_failed');
  assert.deepEqual([entry?.source, entry?.target], ['berth', { kind: 'server', id }]);
  assert.deepEqual(entry?.details, { operation_id: operation?.id, total: 5, failed: 1 });
}
