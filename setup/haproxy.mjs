import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output } from './commands.mjs';
import { unpackedDirectory, unpackPackages } from './unpacked-packages.mjs';

const packages = ['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'];

/** The path of HAProxy: that of the system, or the one that was unpacked for the tests. */
export function haproxyCommand() {
  const path = '/usr/sbin:/sbin';
  const own = output('sh', ['-c', `PATH="$PATH:${path}" command -v haproxy`])?.trim();
  return own ?? join(unpackedDirectory('haproxy'), 'haproxy');
}

/** Unpacks HAProxy for the tests. */
export function ensureHaproxy() {
  if (existsSync(haproxyCommand())) return;
  unpackPackages('haproxy', packages, 'Install HAProxy 2.6 or newer.');
  const root = unpackedDirectory('haproxy');
  const libraries = readdirSync(join(root, 'usr/lib')).map((name) => join(root, 'usr/lib', name));
  const script = `#!/bin/sh
LD_LIBRARY_PATH='${libraries.join(':')}' exec '${join(root, 'usr/sbin/haproxy')}' "$@"
`;
  writeFileSync(join(root, 'haproxy'), script, { mode: 0o755 });
}
