import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { blocksOf } from '../site/testing/blocks.ts';
import { runBlocks } from '../site/testing/shell.ts';
import { address } from './api.ts';

// Runs a guide with the commands that the simulator cannot run, which are the logins.

const home = mkdtempSync(join(tmpdir(), 'berth-e2e-guides-'));
after(() => rmSync(home, { recursive: true, force: true }));

test('docs/guides/first-server.md: all commands, also the login', async () => {
  const page = 'docs/guides/first-server.md';
  for (const folder of ['bin', 'data']) mkdirSync(join(home, folder));
  writeFileSync(join(home, 'data/admin-token'), process.env.BERTH_E2E_TOKEN ?? '');
  // Nobody can confirm the key of the host, and ssh finds its directory by the user, not by HOME.
  const known = `-F none -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=${home}/known_hosts`;
  const script = `#!/bin/sh\nexec /usr/bin/ssh ${known} "$@"\n`;
  writeFileSync(join(home, 'bin/ssh'), script, { mode: 0o755 });
  await runBlocks(page, blocksOf(page), { url: `http://${address()}`, home });
});
