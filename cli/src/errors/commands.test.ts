import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createHome } from '../../testing/terminal.ts';
import { commands, withCommands } from './commands.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Requests that only browsers send. */
const ofBrowsers = ['GET /v1/session', 'POST /v1/session/confirm', 'PUT /v1/session/password'];

/** Where texts are for readers of the API, and for administrators at the machine of the service. */
const others = /test\.ts$|routes\.ts$|explanations\.ts$|\/(testing|openapi|cli|location-setup)\//;

test('requests are named as the commands that send them', () => {
  const texts: Record<string, string> = {
    'The server is stopped. To start it: POST /v1/servers/7/start.':
      'The server is stopped. To start it: "berth server start 7".',
    'To cut its power: POST /v1/servers/7/stop?force=true.':
      'To cut its power: "berth server stop 7 --force".',
    'To end its protection: PATCH /v1/servers/7 with {"protection":{"delete":false}}.':
      'To end its protection: "berth server update 7 --unprotect delete".',
    '`allowed_actions` of `GET /v1/servers/web-1` lists them.':
      '`allowed_actions` of "berth server show web-1" lists them.',
    'List the sizes with GET /v1/sizes?location_id=3.':
      'List the sizes with "berth size list --location 3".',
    'Confirm that it is you: POST /v1/session/confirm with your password.':
      'Confirm that it is you: POST /v1/session/confirm with your password.',
    'It is GET /v1/servers/7/unknown.': 'It is GET /v1/servers/7/unknown.',
  };
  for (const [text, shown] of Object.entries(texts)) assert.equal(withCommands(text), shown);
});

test('each request that an error of the service names has a command', () => {
  const files = globSync('service/src/**/*.ts', { cwd: root }).filter((name) => !others.test(name));
  const named = files.flatMap((name) => {
    const lines = readFileSync(`${root}/${name}`, 'utf8').split('\n');
    const texts = lines.filter((line) => !/^\s*(\/?\*|\/\/)/.test(line)).join('\n');
    const found = texts.matchAll(/(?:GET|POST|PATCH|PUT|DELETE) \/v1\/(?:\$\{[^}]+\}|[\w/?=-])+/g);
    return [...found].map(([request]) => request.replaceAll(/\$\{[^}]+\}/g, '7'));
  });
  assert.ok(named.length > 10, named.join());
  const without = named.filter((request) => {
    const body = request.startsWith('PATCH') ? ' with {"protection":{"delete":false}}' : '';
    return !ofBrowsers.includes(request) && !/^"berth .*"$/.test(withCommands(`${request}${body}`));
  });
  assert.deepEqual(without, []);
});

test('each request is one of the contract, and each command exists', async () => {
  const { paths } = JSON.parse(readFileSync(`${root}/contract/openapi.json`, 'utf8')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const { berth } = createHome();
  for (const [request, command] of Object.entries(commands)) {
    const [, method = '', path = ''] = /^(\w+) ([^ ?]+)/.exec(request) ?? [];
    assert.ok(paths[path]?.[method.toLowerCase()], request);
    const words = command.replace('{action}', 'delete').replaceAll(/[{}]/g, '').split(' ');
    const parsed = await berth([...words, '--project', 'p', '--output', 'json']);
    // It is complete, so that only the sign-in is missing.
    assert.equal(parsed.status, 3, `${command}: ${parsed.stderr}`);
  }
});
