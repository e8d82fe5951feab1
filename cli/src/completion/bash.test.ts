import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openShell, withBerth } from '../../testing/shell.ts';
import { signedIn } from '../../testing/signed-in.ts';

// Types in a real bash, without the package bash-completion.

const { berth, home, url, token } = await signedIn();
const size = ['--os', 'debian-12', '--cpu', '1', '--ram', '512', '--disk', '5'];
await berth(['server', 'create', 'web-1', ...size, '--generate-password', '--no-wait']);
for (const name of ['my $(touch hacked) token', 'ci: deploy']) {
  await berth(['token', 'create', name, '--scope', 'servers:read']);
}
const env = withBerth(home, { BERTH_URL: url, BERTH_TOKEN: token, PS1: '> ' });
const bash = openShell('bash --norc -i', { ...env, INPUTRC: '/dev/null' });
after(() => bash.close());
await bash.sees('> ');
bash.type(`cd && bind 'set enable-bracketed-paste off' && source <(berth completion bash)\n`);

/** What the line is after the tab key. */
async function becomes(typed: string, line: string): Promise<void> {
  bash.type(`${typed}\t`);
  await bash.sees(line);
  // Ctrl-U removes the line.
  bash.type('\u0015');
}

test('nouns, verbs, options and names are completed', async () => {
  await becomes('berth ser', 'berth server ');
  await becomes('berth server resi', 'berth server resize ');
  await becomes('berth server show we', 'berth server show web-1 ');
  await becomes('berth server list --status sto', 'berth server list --status stopped ');
});

test('what bash takes for the end of a word does not end it', async () => {
  await becomes('berth server list --status=sto', 'berth server list --status=stopped ');
  await becomes('berth token show ci:', 'berth token show ci:\\ deploy ');
  await becomes('berth token show "ci', 'berth token show "ci: deploy" ');
});

test('a name of others is quoted, and not expanded', async () => {
  await becomes('berth token show my', 'berth token show my\\ \\$\\(touch\\ hacked\\)\\ token ');
  assert.ok(!existsSync(join(home, 'hacked')));
});

test('the script can be read twice, and says nothing', async () => {
  bash.type('source <(berth completion bash) 2>&1; echo status $?\n');
  await bash.sees('status 0');
  assert.doesNotMatch(bash.shown(), /readonly|not found|error/i);
});
