import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openShell, withBerth } from '../../testing/shell.ts';
import { signedIn } from '../../testing/signed-in.ts';

// Completion in a real zsh and a real fish, which `npm run test:all` installs, set up as docs/cli.md says.

const { berth, home, url, token } = await signedIn();
const size = ['--os', 'debian-12', '--cpu', '1', '--ram', '512', '--disk', '5'];
await berth(['server', 'create', 'web-1', ...size, '--generate-password', '--no-wait']);
for (const name of ['my $(touch hacked) token', 'ci: deploy']) {
  await berth(['token', 'create', name, '--scope', 'servers:read']);
}
const env = withBerth(home, { BERTH_URL: url, BERTH_TOKEN: token });
const run = async (shell: string, script: string) =>
  (await promisify(execFile)(shell, ['-c', script], { env })).stdout;

test('zsh completes what is typed', async () => {
  writeFileSync(join(home, '.zshrc'), "PS1='> '\nunsetopt zle_bracketed_paste prompt_sp\n");
  await run('bash', "echo 'source <(berth completion zsh)' >> ~/.zshrc");
  const zsh = openShell('zsh -i', env);
  try {
    await zsh.sees('> ');
    zsh.type('cd; echo it is $((40 + 2))\n');
    await zsh.sees('it is 42');
    for (const [typed, line] of [
      ['berth ser', 'berth server '],
      ['berth server show we', 'berth server show web-1 '],
      ['berth server list --status=sto', 'berth server list --status=stopped '],
      ['berth token show ci', 'berth token show ci:\\ deploy '],
      ['berth token show my', 'berth token show my\\ \\$\\(touch\\ hacked\\)\\ token '],
    ] as const) {
      zsh.type(`${typed}\t`);
      await zsh.sees(line);
      zsh.type('\u0015');
    }
  } finally {
    await zsh.close();
  }
  assert.ok(!existsSync(join(home, 'hacked')));
});

test('fish completes what is typed', async () => {
  const folder = '~/.config/fish/completions';
  await run('bash', `mkdir -p ${folder} && berth completion fish > ${folder}/berth.fish`);
  const offered = async (line: string) => {
    const printed = await run('fish', `complete --do-complete '${line}'`);
    return printed.split('\n').flatMap((one) => one.split('\t')[0] || []);
  };
  assert.deepEqual(await offered('berth ser'), ['server']);
  assert.deepEqual(await offered('berth server show we'), ['web-1']);
  assert.deepEqual(await offered('berth server list --status=sto'), ['--status=stopped']);
  assert.deepEqual(await offered('berth token show ci'), ['ci: deploy']);
  assert.deepEqual(await offered('berth token show my'), ['my $(touch hacked) token']);
  assert.ok(!existsSync(join(home, 'hacked')));
});
