import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createBerth } from '@berth/client';
import type { Page } from 'playwright-core';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible } from './testing/axe.ts';
import { createServer, type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Uses what surrounds the pages, in a browser, on the whole service with a simulated Incus.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';

describe('the frame of the panel', { skip }, () => {
  let panel: Panel;
  let page: Page;
  let id: number;
  before(async () => {
    panel = await startPanel();
    id = await createServer(panel, 'web-1');
    page = await panel.open();
    await signIn(page, panel.credentials);
  });
  after(() => panel[Symbol.asyncDispose]());
  beforeEach(() => page.setViewportSize({ width: 1280, height: 720 }));

  const { button, heading } = findIn(() => page);
  const navigation = () => page.getByRole('navigation', { name: 'Main' });
  const hasFocus = (selector: string) => page.locator(`${selector}:focus`).waitFor();

  it('the first question of a page gives the focus back to its button, or to those beside it', async () => {
    await page.goto(`/servers/${id}`);
    await button('Stop').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'Stop' }).waitFor();
    await page.reload();
    await button('Stop').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The server is stopped.').waitFor();
    await hasFocus('[role="group"][aria-label="Actions"]');
  });

  it('values in the URL that are not understood are left out', async () => {
    await page.goto('/servers?sort=zz&status=foo');
    await page.getByRole('link', { name: 'web-1' }).waitFor();
    await page.goto(`/servers/${id}?last=5d`);
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.goto('/audit?from=zz');
    await page.getByRole('list', { name: 'Entries' }).waitFor();
    await page.goto('/operations?status=zz');
    await page.getByRole('list', { name: 'Operations' }).waitFor();
  });

  it('on a phone, the navigation is opened over the page, and closed with it', async () => {
    await page.setViewportSize({ width: 390, height: 700 });
    await page.goto('/servers');
    await heading('Servers').waitFor();
    await navigation().waitFor({ state: 'hidden' });
    await button('Open the navigation').click();
    await navigation().waitFor();
    await heading('Servers').waitFor({ state: 'hidden' });
    await requireAccessible(page, 'the navigation on a phone');
    await page.keyboard.press('Escape');
    await heading('Servers').waitFor();
    await button('Open the navigation').click();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('quota');
    await page.getByRole('option', { name: 'Quota', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Quota').waitFor();
    await navigation().waitFor({ state: 'hidden' });
  });

  it('every width has either the navigation or its button', async () => {
    for (const width of [767, 768, 769]) {
      await page.setViewportSize({ width, height: 700 });
      const isThere = await navigation().isVisible();
      assert.equal(await button('Open the navigation').isVisible(), !isThere, `${width}`);
    }
  });

  it('the palette opens from a field, and finds the pages of administration', async () => {
    await page.goto('/servers');
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('node');
    await page.getByRole('option', { name: /^Nodes/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Nodes').waitFor();
  });

  it('a selector of labels can be typed with pauses', async () => {
    await page.goto('/servers');
    const field = page.getByLabel('Labels', { exact: true });
    await field.pressSequentially('env ');
    await page.waitForURL(/labels=env/);
    await field.pressSequentially('notin (prod)');
    await page.waitForURL(/prod/);
    assert.equal(await field.inputValue(), 'env notin (prod)');
    await page.getByRole('link', { name: 'web-1' }).waitFor();
  });

  it('a page that cannot be read again stays as it is', async () => {
    await page.goto(`/servers/${id}/settings`);
    const notes = page.getByRole('textbox', { name: 'Notes' });
    await notes.fill('mine');
    await page.route(`**/v1/servers/${id}`, (route) => route.fulfill({ status: 500, json: {} }));
    const failed = page.waitForResponse((response) => response.status() === 500);
    const body = { labels: { env: 'test' } };
    await createBerth(panel.installation).PATCH('/v1/servers/{id}', {
      params: { path: { id } },
      body,
    });
    await failed;
    await page.unrouteAll();
    await page.getByText('test').or(page.locator('input[value="test"]')).first().waitFor();
    assert.equal(await notes.inputValue(), 'mine');
  });

  it('without the files of menus and dialogs, the page can be used', async () => {
    const other = await panel.open({ storageState: await page.context().storageState() });
    await other.route(/assets\/(person-menu|navigation|toasts|palette|question)\b/, (route) =>
      route.abort(),
    );
    const failed = other.waitForEvent('requestfailed', (request) =>
      request.url().includes('person-menu'),
    );
    await other.goto(`/servers/${id}`);
    await failed;
    await other.getByRole('heading', { name: 'web-1', exact: true }).waitFor();
    await other.getByRole('button', { name: /^Menu of/ }).waitFor();
    await other.unrouteAll();
    await other.getByRole('button', { name: /^Menu of/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await other.context().close();
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    assert.deepEqual(panel.errors, []);
  });
});
