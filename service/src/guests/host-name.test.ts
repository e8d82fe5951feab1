import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  newHosts,
  ownHostsLine,
  renamedHosts,
  systemName,
  withoutHostsModule,
} from './host-name.ts';

test('a system is called by the first label of its host name', () => {
  assert.deepEqual(['web-1', 'web-1.example.org'].map(systemName), ['web-1', 'web-1']);
  assert.equal(ownHostsLine('web-1'), '127.0.1.1 web-1');
  assert.equal(ownHostsLine('web-1.example.org'), '127.0.1.1 web-1.example.org web-1');
});

const others = '127.0.0.1 localhost\n\n# The old-1 of before.\n10.0.0.7\told-1.example.org old-1\n';

for (const [what, line, renamed] of [
  ['its line', '127.0.1.1 old-1.example.org old-1', '127.0.1.1 new.example.org new'],
  ['tabs', '127.0.1.1\told-1.example.org\told-1\t', '127.0.1.1 new.example.org new'],
  ['other names', '127.0.1.1 old-1 alias new', '127.0.1.1 new.example.org new alias'],
  ['a comment', '127.0.1.1 old-1 # mine', '127.0.1.1 new.example.org new # mine'],
  ['a name of before', '127.0.1.1 older old-1', '127.0.1.1 new.example.org new'],
  [
    'two lines',
    '127.0.1.1 old-1.example.org\n127.0.1.1 old-1\n127.0.1.1 alias old-1',
    '127.0.1.1 new.example.org new\n127.0.1.1 alias',
  ],
] as const) {
  test(`a renamed guest has its new names in /etc/hosts: ${what}`, () => {
    const former = ['old-1.example.org', 'older'];
    const rename = (content: string) => renamedHosts(content, 'new.example.org', former);
    assert.equal(rename(`${line}\n${others}`), `${renamed}\n${others}`);
    assert.equal(rename(`${others}${line}\n`), `${others}${renamed}\n`);
    assert.equal(rename(rename(`${line}\n${others}`)), `${renamed}\n${others}`);
  });
}

test('a renamed guest without a line for itself gets one', () => {
  const line = '127.0.1.1 new\n';
  assert.equal(renamedHosts(others, 'new', ['old-1']), line + others);
  assert.equal(renamedHosts('::1 localhost', 'new', ['']), `${line}::1 localhost`);
});

test('a renamed guest whose /etc/hosts is empty gets that of a new guest', () => {
  for (const empty of ['', '\n'])
    assert.equal(renamedHosts(empty, 'new', ['old-1']), newHosts('new'));
  assert.match(newHosts('new'), /^127\.0\.1\.1 new\n127\.0\.0\.1 localhost\n/);
});

test('cloud-init no longer writes /etc/hosts, and does everything else', () => {
  const settings = (module: string) =>
    `users:\n - default\ncloud_init_modules:\n - set_hostname\n${module} - users_groups\n`;
  for (const module of [' - update_etc_hosts\n', '  -  update-etc-hosts \n', '']) {
    assert.equal(withoutHostsModule(settings(module)), settings(''));
  }
  const other = settings(' - update_etc_hosts_too\n# - update_etc_hosts\n');
  assert.equal(withoutHostsModule(other), other);
});
