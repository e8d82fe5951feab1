import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { createHome } from '../../../../../cli/testing/terminal.ts';
import { type Reply, serve } from '../../../../../client/testing/server.ts';
import type { Values } from '../form.ts';
import { clientCodeOf } from './client-code.ts';
import { commandLineOf } from './command-line.ts';
import { curlOf } from './curl.ts';
import { namedBody, type ShownRequest } from './request.ts';

// The code is run, in a shell if it is for one, and must send what the form would.

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), 'berth-as-code-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const commands = [
  'apt-get update',
  `echo "It's $HOME" | tee '/root/a b' && echo \`date\` !! \\n`,
  'if true\nthen echo "two\tlines"\nfi',
];
const userData = `#cloud-config\nruncmd:\n  - echo "it's $(date)" \\\nEND\n`;
const values: Values = {
  ...{ name: 'web-1', location_id: '1', os_id: '2', size: '', cpu: 2, ram: 2048, disk: 20 },
  ...{ ssh_keys: ['5', '6'], password_login: true, password: 'very-secret' },
  initialCommands: commands.map((text, key) => ({ key, text })),
  ...{ user_data: userData, labels: 'env=prod example.com/tier=, team=web' },
};
const names = {
  locations: [{ id: 1, name: 'Here & there' }],
  systems: [{ id: 2, slug: 'debian-12' }],
  sizes: [{ id: 3, name: 'small' }],
  keys: [{ id: 5, name: "Ada's laptop" }],
};
const bodies = [
  namedBody(values, names),
  namedBody({ ...values, size: '3', password_login: false, user_data: '' }, names),
  namedBody({ ...values, initialCommands: [], labels: '', ssh_keys: [], user_data: '' }, names),
];
const plan = { node: 'node-1', ip_addresses: [], warnings: [] };
const reply: Reply = (response) => {
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(plan));
};
const request = (url: string, body = bodies[0]): ShownRequest => {
  assert.ok(body);
  return { url, project: "Ada's", body };
};

test('IDs are shown by their names, and no password is', () => {
  const [body] = bodies;
  assert.deepEqual(body?.ssh_keys, ["Ada's laptop", 6]);
  assert.deepEqual([body?.location_id, body?.os_id], ['Here & there', 'debian-12']);
  for (const write of [curlOf, commandLineOf, clientCodeOf])
    assert.doesNotMatch(write(request('https://berth.example')), /secret/);
});

test('curl sends the form', async () => {
  for (const body of bodies) {
    const { url, requests } = await serve([reply]);
    const env = { ...process.env, BERTH_TOKEN: 'a token', ROOT_PASSWORD: 'a&b="c"' };
    await run('sh', ['-c', `set -eu\n${curlOf(request(url, body))}`], { env, cwd: directory });
    const [received] = requests;
    assert.equal(received?.headers.authorization, 'Bearer a token');
    assert.equal(received?.headers['berth-project'], "Ada's");
    const form = new URLSearchParams(received?.body);
    assert.equal(form.get('name'), 'web-1');
    assert.equal(form.get('location_id'), 'Here & there');
    const sent = body.initialCommands.length > 0 ? body.initialCommands : [''];
    assert.deepEqual(form.getAll('initialCommands[]'), sent);
    assert.deepEqual(form.getAll('ssh_keys[]'), body.ssh_keys.map(String));
    assert.equal(form.get('user_data') ?? undefined, body.user_data);
    assert.equal(form.get('labels[example.com/tier]') ?? undefined, body.labels && '');
    assert.equal(form.get('password'), body.password_login === false ? null : 'a&b="c"');
  }
});

test('the command line reads its command, and sends the same', async () => {
  for (const body of bodies) {
    const { url, requests } = await serve([reply]);
    const define = 'set -eu\nberth() { printf "%s\\0" "$BERTH_URL" "$@"; }\n';
    const script = define + commandLineOf(request(url, body));
    const { stdout } = await run('sh', ['-c', script], { cwd: directory });
    const [givenUrl, ...args] = stdout.split('\0').slice(0, -1);
    const file = join(directory, 'user-data.txt');
    const home = createHome({ BERTH_URL: String(givenUrl), BERTH_TOKEN: 'token' });
    const found = args.map((arg) => (arg === 'user-data.txt' ? file : arg));
    const ended = await home.berth([...found, '--dry-run']);
    assert.equal(ended.status, 0, ended.stderr);
    const { password, location_id, os_id, size, ssh_keys, ...sent } = JSON.parse(
      requests[0]?.body ?? '',
    );
    const { location_id: _, os_id: __, size: ___, ssh_keys: keys, ...wanted } = body;
    assert.deepEqual(sent, wanted);
    assert.deepEqual([location_id, os_id, size], ['Here & there', 'debian-12', body.size]);
    assert.deepEqual(ssh_keys ?? [], keys.map(String));
    assert.equal(password === undefined, body.password_login === false);
    if (body.user_data) assert.equal(readFileSync(file, 'utf8'), userData);
  }
});

test('the code for the client sends the same', async () => {
  for (const body of bodies) {
    const code = clientCodeOf(request('https://berth.example', body)).replace(/^import .*\n/, '');
    const seen: unknown[] = [];
    const createBerth = (options: object) => {
      seen.push(options);
      const POST = async (path: string, { body }: { body: object }) => {
        seen.push(path, body);
        return { data: { operation: { id: 7 } } };
      };
      return { POST };
    };
    const waitForOperation = async (_: unknown, id: number) => seen.push(id);
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
    const program = new AsyncFunction('createBerth', 'waitForOperation', 'process', code);
    const env = { BERTH_TOKEN: 'token', ROOT_PASSWORD: 'password' };
    await program(createBerth, waitForOperation, { env });
    const { ssh_keys, ...others } = body;
    const options = { url: 'https://berth.example', token: 'token', project: "Ada's" };
    const wanted = {
      ...others,
      ...(ssh_keys.length > 0 && { ssh_keys }),
      ...(body.password_login !== false && { password: 'password' }),
    };
    assert.deepEqual(seen, [options, '/v1/servers', wanted, 7]);
  }
});
