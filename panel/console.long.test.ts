import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Berth, createBerth } from '@berth/client';
import type { Page } from 'playwright-core';
import { until } from '../service/src/testing/until.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible } from './testing/axe.ts';
import { createServer, type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Uses the console of a server in a browser, on the whole service with a simulated Incus.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';

describe('the console in the panel', { skip }, () => {
  let panel: Panel;
  let page: Page;
  let berth: Berth;
  let id: number;
  before(async () => {
    panel = await startPanel();
    berth = createBerth(panel.installation);
    id = await createServer(panel, 'web-1');
    page = await panel.open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, panel.credentials);
  });
  after(() => panel[Symbol.asyncDispose]());

  const { button } = findIn(() => page);
  const state = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text });
  const input = () => page.getByRole('textbox', { name: 'Terminal input' });
  /** Waits until a line of the terminal has a text. */
  const shows = (text: string | RegExp, timeout = 30_000) =>
    page.locator('.xterm-rows > div').filter({ hasText: text }).first().waitFor({ timeout });

  it('the console of a running server shows its login prompt', async () => {
    await page.getByRole('link', { name: 'web-1' }).first().click();
    await page.getByRole('link', { name: 'Console', exact: true }).click();
    await state(/^Connected$/).waitFor();
    await shows('login:');
  });

  it('what is typed is echoed, in the colours of the page', async () => {
    await page.keyboard.type('somebody');
    await shows('login: somebody');
    await requireAccessible(page, 'the console');
  });

  it('the terminal has the size of the window', async () => {
    const rows = page.locator('.xterm-rows > div');
    const count = await rows.count();
    await page.setViewportSize({ width: 900, height: 500 });
    await until(
      'there are fewer rows',
      () => rows.count(),
      (now) => now < count,
    );
    await requireAccessible(page, 'the console in a small window');
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('the keyboard leaves the terminal, and searches in its output', async () => {
    await input().focus();
    await page.keyboard.press('Control+Shift+KeyL');
    await page.locator(':focus').filter({ hasText: 'Paste' }).waitFor();
    await input().focus();
    await page.keyboard.press('Control+Shift+KeyF');
    await page.getByLabel('Search in the output').fill('no such text');
    await page.keyboard.press('Enter');
    await state('It does not occur.').waitFor();
    await requireAccessible(page, 'the search');
    await page.keyboard.press('Escape');
    await page.locator('.xterm textarea:focus').waitFor();
  });

  it('a line is pasted at once, and several after a question', async () => {
    await page.evaluate(`navigator.clipboard.writeText('pasted')`);
    await button('Paste').click();
    await shows('somebodypasted');
    await page.evaluate(`navigator.clipboard.writeText('one\\ntwo')`);
    await input().focus();
    await page.keyboard.press('Control+Shift+KeyV');
    await page.getByText('These are 2 lines.').waitFor();
    await requireAccessible(page, 'the question before a paste');
    await button('Cancel').click();
  });

  it('the server knows the size of the terminal', async () => {
    await input().focus();
    await page.keyboard.press('Enter');
    await shows('Password:');
    await page.keyboard.type('secret\r');
    await shows(/^somebodypasted@.*:~\$/);
    const rows = await page.locator('.xterm-rows > div').count();
    await page.keyboard.type('stty size\r');
    await shows(new RegExp(`^${rows} \\d+$`));
  });

  it('a hundred megabytes of output do not hang the page', async () => {
    await page.keyboard.type('yes | head -c 100000000\r');
    await page.keyboard.type('echo done with it\r');
    await shows(/^done with it/, 180_000);
  });

  it('the terminal fills the screen, and can be made for screen readers', async () => {
    await button('Full screen').click();
    await button('Leave full screen').waitFor();
    await requireAccessible(page, 'the console in full screen');
    await button('Leave full screen').click();
    await button('Full screen').waitFor();
    await page.getByRole('switch', { name: 'For screen readers' }).check({ force: true });
    await page.locator('.xterm-accessibility').waitFor({ state: 'attached' });
    await requireAccessible(page, 'the console for screen readers');
  });

  it('a stopped server has a button to start it, after which its console opens again', async () => {
    const params = { path: { id } };
    await berth.POST('/v1/servers/{id}/stop', { params, body: { force: true } });
    await page.getByText('A server has a console while it is running.').waitFor();
    await state('Disconnected:').waitFor();
    await button('Reconnect').waitFor();
    await requireAccessible(page, 'the console of a stopped server');
    await button('Start').click();
    await state(/^Connected$/).waitFor();
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    // Chromium reports each response with an error as well.
    const others = panel.errors.filter((text) => !text.startsWith('Failed to load resource'));
    assert.deepEqual(others, []);
  });
});
