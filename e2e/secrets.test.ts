import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, password, primaryAddress, remove, untilIdle, view } from './api.ts';
import { isNowhere } from './canaries.ts';
import { ssh } from './ssh.ts';

const canary = 'canary-7f3d9a';

test('no secret is left anywhere after a create', async () => {
  const { id } = await create({
    initialCommands: [`true ${canary}`, ['true', canary], `false ${canary}`],
  });
  await untilIdle(id);
  const server = await view(id);
  await isNowhere(canary, server, [password, '$6$']);
  const guest = await ssh(
    primaryAddress(server),
    'grep -rslF canary-7f3d9 /var/lib /var/log /etc /run /tmp /root 2>/dev/null; ls -d /var/lib/berth 2>&1 || true',
  );
  assert.match(guest, /^ls: cannot access '\/var\/lib\/berth'/);
  await remove(id);
});
