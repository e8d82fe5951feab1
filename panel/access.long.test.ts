import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible } from './testing/axe.ts';
import { letTimePass, type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Manages who and what has access, in a browser, on the whole service.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';
const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBJ3F1zyPrqeW65SXy0v0RsrI9ef8qPOgRwKJGnw0vVS ada@laptop';
const newPassword = 'velvet-harbour-Monday-badger';

describe('access in the panel', { skip }, () => {
  let panel: Panel;
  let page: Page;
  before(async () => {
    panel = await startPanel();
    page = await panel.open();
    await signIn(page, panel.credentials);
  });
  after(() => panel[Symbol.asyncDispose]());

  const { button, heading, link, field } = findIn(() => page);

  it('the errors of a new SSH key are shown at their fields', async () => {
    await link('SSH keys').click();
    await heading('This project has no SSH keys').waitFor();
    await requireAccessible(page, 'the list without keys');
    await link('Add an SSH key').click();
    await field('Name').fill('laptop');
    await field('Public key').fill('no key');
    await button('Add the key').click();
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    assert.equal(await field('Public key').getAttribute('aria-invalid'), 'true');
    await requireAccessible(page, 'the form of a key');
  });

  it('somebody who signed in a while ago proves that it is them, and the key is added', async () => {
    await letTimePass(panel, page);
    await field('Public key').fill(publicKey);
    await button('Add the key').click();
    const dialog = page.getByRole('dialog');
    await field('Password').fill('wrong');
    await button('Go on').click();
    await dialog.getByText('Is not your current password').waitFor();
    await requireAccessible(page, 'the confirmation');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nothing was changed').waitFor();
    await button('Add the key').click();
    await field('Password').fill(panel.credentials.password);
    await button('Go on').click();
    await page.getByRole('rowheader', { name: 'laptop' }).waitFor();
    await requireAccessible(page, 'the list of keys');
  });

  it('a key is deleted after a question', async () => {
    await button('Delete laptop').click();
    await requireAccessible(page, 'the question');
    await button('Delete the key').click();
    await heading('This project has no SSH keys').waitFor();
  });

  it('a new token is shown once, and is valid until it is revoked', async () => {
    await link('Tokens').click();
    await heading('Tokens').waitFor();
    await link('New token').click();
    await field('Name').fill('backup script');
    await page.getByLabel('Read metrics').check();
    await requireAccessible(page, 'the form of a token');
    await button('Create the token').click();
    const token = String(await page.getByRole('dialog').locator('code').textContent());
    await requireAccessible(page, 'the token');
    await button('Done').click();
    const row = page.getByRole('row').filter({ hasText: 'backup script' });
    await row.getByText('Read servers, Read metrics').waitFor();
    await requireAccessible(page, 'the list of tokens');
    const authorization = { Authorization: `Bearer ${token}` };
    const whoami = new URL('/v1/whoami', panel.installation.url);
    const status = async () => (await fetch(whoami, { headers: authorization })).status;
    assert.equal(await status(), 200);
    await button('Revoke backup script').click();
    await button('Revoke the token').click();
    await row.waitFor({ state: 'detached' });
    assert.equal(await status(), 401);
  });

  it('a change of the password ends the other sessions', async () => {
    await signIn(await panel.open(), panel.credentials);
    await button(/^Menu of/).click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await page.getByText('(this one)').waitFor();
    await field('Current password').fill('wrong');
    await field('New password').fill(newPassword);
    await button('Change the password').click();
    await page.getByText('Is not your current password').waitFor();
    await requireAccessible(page, 'the account');
    await field('Current password').fill(panel.credentials.password);
    await button('Change the password').click();
    await page.getByText('1 other session ended').waitFor();
    assert.equal(await page.getByRole('rowheader').count(), 1);
  });

  it('somebody signs out everywhere', async () => {
    await button('Sign out everywhere').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await field('Email address').waitFor();
    await signIn(page, { ...panel.credentials, password: newPassword });
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    assert.deepEqual(panel.errors, []);
  });
});
