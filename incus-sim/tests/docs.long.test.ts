import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandsOf, runBlock } from '../../e2e/page.ts';

// Tests the commands in docs/ that need no real server, on Berth with a simulated Incus.

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'berth-docs-'));
const dataDir = join(directory, 'data');
const child = spawn(process.execPath, [main], {
  env: { ...process.env, BERTH_PORT: '0', BERTH_DATA_DIR: dataDir },
});
const ended = once(child, 'exit');
let said = '';
for (const stream of [child.stdout, child.stderr]) {
  stream.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
}
const shell = { directory, url: '', token: '' };

before(async () => {
  while (!/Berth listens on (\S+)/.test(said)) {
    if (child.exitCode !== null) throw new Error(`It ended before it listened:\n${said}`);
    await sleep(50);
  }
  shell.url = /Berth listens on (\S+)/.exec(said)?.[1] ?? '';
  shell.token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
});

after(async () => {
  if (child.exitCode === null) child.kill('SIGINT');
  await ended;
  rmSync(directory, { recursive: true, force: true });
});

test('docs/image-servers.md: an operating system is added, its image is downloaded, and it is disabled', async () => {
  const [add = '', disable = '', ...own] = commandsOf('image-servers.md');
  const printed = await runBlock(add, shell);
  // Responses have no final newline; the list is the last one.
  const shown = JSON.parse(/\[\{.*$/.exec(printed)?.[0] ?? '[]');
  assert.equal(shown.length, 1, said);
  assert.ok(['wanted', 'importing', 'ready'].includes(shown[0].status), JSON.stringify(shown));
  const env = { OS_ID: String(shown[0].os_id) };
  assert.equal(JSON.parse(await runBlock(disable, { ...shell, env })).enabled, false);
  // Publishing an image requires a real Incus.
  assert.equal(own.length, 1);
});

test('docs/labels.md: a server is renamed, labelled, selected, acted on and protected', async () => {
  const [rename = '', label = '', select = '', act = '', protect = '', ...others] =
    commandsOf('labels.md');
  assert.deepEqual(others, []);
  const size = { cpu: 1, ram: 512, disk: 5, location_id: 1, os_id: 1 };
  const login = { password: 'correct horse battery staple', initialCommands: [] };
  const made = await fetch(`${shell.url}/v1/servers`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${shell.token}`, 'content-type': 'application/json' },
      prefer: 'wait=60',
    },
    body: JSON.stringify({ name: 'web-1', ...size, ...login }),
  });
  assert.equal(made.status, 201, await made.text());
  const renamed = JSON.parse(await runBlock(rename, shell));
  assert.deepEqual(
    [renamed.hostname, renamed.operation.status],
    ['web-2.example.com', 'succeeded'],
  );
  assert.match(await runBlock(label, shell), /"labels":\{"env":"test"\}/);
  const selected = JSON.parse(await runBlock(select, shell));
  assert.deepEqual(
    selected.map(({ hostname }: { hostname: string }) => hostname),
    ['web-1'],
  );
  // Its creation may still be in progress, which it then refuses for.
  const answers = (await runBlock(act, shell)).match(/"results":\[\{"server_id":\d+/g);
  assert.equal(answers?.length, 2);
  const { protection } = JSON.parse(await runBlock(protect, shell));
  assert.deepEqual(protection, { delete: true, rebuild: true });
});
