import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createTestUser } from '../service/src/testing/people.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible } from './testing/axe.ts';
import { type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';
import { keyboardOf } from './testing/keyboard.ts';

// Creates a server with the keyboard alone, on the whole service with a simulated Incus.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';

describe('creating a server', { skip }, () => {
  let panel: Panel;
  let page: Page;
  let keyboard: ReturnType<typeof keyboardOf>;
  before(async () => {
    panel = await startPanel();
    const price = { hourly: '0.0074', monthly: '4.59', currency: 'EUR' };
    await change('POST', '/sizes', { name: 'small', cpu: 1, ram: 512, disk: 5, price });
    await change('POST', '/sizes', { name: 'large', cpu: 4, ram: 4096, disk: 50 });
    await change('PATCH', '/projects/default', { quota: { servers: 3, ram: 2048 } });
    page = await panel.open();
    keyboard = keyboardOf(page);
    await signIn(page, panel.credentials);
  });
  after(() => panel[Symbol.asyncDispose]());

  async function change(method: string, path: string, body: object): Promise<void> {
    const { url, token } = panel.installation;
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}/v1${path}`, init);
    assert.equal(response.ok, true, await response.text());
  }

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const { button, region } = findIn(() => page);

  it('a form is filled in with the keyboard, and its errors are at their fields', async () => {
    await page.goto('/servers/new');
    await keyboard.tabTo(field('Name'));
    await keyboard.type('not valid!');
    const debian = page.getByRole('radio', { name: 'Debian 12' });
    await keyboard.tabTo(debian);
    await keyboard.press('ArrowDown');
    assert.equal(await debian.isChecked(), false);
    await keyboard.press('ArrowUp');
    assert.equal(await debian.isChecked(), true);
    await page.getByText('2 GiB left of the quota').waitFor();
    await page.getByText('Needs more memory than is left of the quota').waitFor();
    await keyboard.tabTo(page.getByRole('radio', { name: 'Own specifications' }));
    await keyboard.press('ArrowDown');
    assert.equal(await page.getByRole('radio', { name: 'small' }).isChecked(), true);
    await keyboard.pressOn(button('Add a command'));
    assert.equal(await keyboard.isFocused(field('Command 1')), true);
    await keyboard.type('echo hello');
    await keyboard.pressOn(button('Add a command'));
    await page.keyboard.insertText('x'.repeat(5000));
    await keyboard.retype(field('User data'), '#!/bin/sh\necho hello\n');
    await page.getByText('It has 21 B of 64 KiB').waitFor();
    await keyboard.tabTo(field('Labels'));
    await keyboard.type('env=prod, team=-');
    await keyboard.pressOn(button('Create and start'));

    await page.getByText('team: A value must be empty').waitFor();
    await page.getByText('of at most 4 KiB').first().waitFor();
    const invalid = page.locator('[aria-invalid="true"]');
    for (const name of ['Name', 'Command 2']) await field(name).and(invalid).waitFor();
    assert.equal(await field('Command 1').and(invalid).count(), 0);
    assert.equal(await keyboard.isFocused(field('Name')), true);
    await region('What would be created').getByText('Command 2: ').waitFor();
    await requireAccessible(page, 'the form with errors');
  });

  it('what would be created is shown, and the same as code', async () => {
    await keyboard.retype(field('Name'), 'web-1');
    await keyboard.retype(field('Command 2'), 'false');
    await keyboard.retype(field('Labels'), 'env=prod, team=web');
    const outlook = region('What would be created');
    await outlook.getByText('Node', { exact: true }).waitFor();
    await outlook.getByText('0.0074 EUR an hour, at most 4.59 EUR a month').waitFor();
    assert.equal(await page.locator('[aria-invalid="true"]').count(), 0);
    const code = region('The same as code');
    await code.getByText("--data-urlencode 'initialCommands[]=echo hello'").waitFor();
    await keyboard.tabTo(page.getByRole('tab', { name: 'curl' }));
    await keyboard.press('ArrowRight');
    await code.getByText("--command 'echo hello'").waitFor();
    await keyboard.press('ArrowRight');
    await code.getByText("initialCommands: ['echo hello', 'false']").waitFor();
    await requireAccessible(page, 'the form');
  });

  it('the strength of a password is shown, and an empty one is generated', async () => {
    const password = page.getByLabel('Password of root', { exact: true });
    await keyboard.tabTo(password, 'Shift+Tab');
    await keyboard.type('password');
    await page.getByText('Strength: much too easy to guess.').waitFor();
    await keyboard.press('ControlOrMeta+a');
    await keyboard.press('Delete');
    await keyboard.pressOn(button('Create and start'));
    const dialog = page.getByRole('dialog');
    assert.match(String(await dialog.locator('code').textContent()), /^[a-z2-9]{24}$/);
    // The form is not checked again: it would be with the server that it has created.
    assert.equal(await button('Create and start').count(), 0);
    await keyboard.focused(button('Watch the creation'));
    await keyboard.press('Enter');
  });

  it('the creation is followed, with the output of each command', async () => {
    await page.getByRole('heading', { name: 'Creation of web-1' }).waitFor();
    const commands = region('Commands');
    await commands.getByText('failed with exit status 1').waitFor();
    await region('Progress').getByText('succeeded', { exact: true }).waitFor();
    assert.equal(
      await page.getByRole('region', { name: 'Output of command 1' }).textContent(),
      'hello\n',
    );
    await commands.getByText('echo hello', { exact: true }).waitFor();
    await region('User data').getByText('without errors').waitFor();
    await region('Steps').getByRole('listitem').first().waitFor();
    await requireAccessible(page, 'the creation');
  });

  it('a member of a project whose servers must have a size begins with one that fits', async () => {
    await change('PATCH', '/locations/local', { limits: { cpu: { max: 4 } } });
    await change('POST', '/sizes', { name: 'huge', cpu: 64, ram: 512, disk: 5 });
    await change('PATCH', '/projects/default', { sizes_only: true });
    const email = 'bob@example.com';
    await createTestUser(panel.installation.database.db, { email, roles: { 1: 'member' } });
    const other = await panel.open();
    await signIn(other, { ...panel.credentials, email });
    await other.goto('/servers/new');
    const size = (name: string) => other.getByRole('radio', { name, exact: true });
    await size('large').waitFor();
    assert.equal(await size('Own specifications').count(), 0);
    assert.equal(await size('small').isChecked(), true);
    await other.getByText('local offers at most 4 cores').waitFor();
    await other.getByRole('textbox', { name: 'Name', exact: true }).fill('web-2');
    const outlook = other.getByRole('region', { name: 'What would be created' });
    await outlook.getByText('Node', { exact: true }).waitFor();
    await other.getByText('huge', { exact: true }).click();
    await outlook.getByText('Size: ').waitFor();
    assert.doesNotMatch(String(await outlook.textContent()), /GET/);
    await requireAccessible(other, 'the form with sizes only');

    await other.goto('/servers/1/settings');
    const offered = other.getByRole('combobox', { name: 'New size' });
    await offered.waitFor();
    assert.deepEqual(
      (await offered.getByRole('option').allTextContents()).map((text) => text.split(':')[0]),
      ['small', 'large', 'huge'],
    );
    await other.close();
  });

  it('a narrow screen does not scroll sideways', async () => {
    for (const path of ['/servers/new', '/servers/1/creation']) {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.goto(path);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      const width = 'document.documentElement.scrollWidth';
      assert.equal(await page.evaluate(`${width} <= window.innerWidth`), true, path);
    }
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    // Chromium reports each response with an error as well.
    const others = panel.errors.filter((text) => !text.startsWith('Failed to load resource'));
    assert.deepEqual(others, []);
  });
});
