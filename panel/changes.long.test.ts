import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createTestUser } from '../service/src/testing/people.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible, requireNoSideScroll } from './testing/axe.ts';
import { type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Changes a server in a browser, on the whole service with a simulated Incus.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';

describe('changes of a server in the panel', { skip }, () => {
  let panel: Panel;
  let page: Page;
  let id: number;
  before(async () => {
    panel = await startPanel();
    await send('PATCH', '/v1/locations/1', { traffic_allowance: 1e12 });
    await send('POST', '/v1/sizes', { name: 'large', cpu: 2, ram: 2048, disk: 20 });
    const created = await send('POST', '/v1/servers', {
      ...{ name: 'web-1', location_id: 1, os_id: 'debian-12', cpu: 1, ram: 1024, disk: 10 },
      ...{ password: 'a-password-of-root', initialCommands: [], labels: { env: 'test', old: '' } },
    });
    id = created.id;
    page = await panel.open();
    await signIn(page, panel.credentials);
    await page.getByRole('link', { name: 'web-1' }).click();
    await settings(page).click();
    await region('Name').waitFor();
  });
  after(() => panel[Symbol.asyncDispose]());

  async function send(method: 'POST' | 'PATCH', path: string, body: object) {
    const { url, token } = panel.installation;
    const answer = await fetch(new URL(path, url), {
      method,
      headers: {
        ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...{ Prefer: 'wait=60', 'Berth-Project': '1' },
      },
      body: JSON.stringify(body),
    });
    const answered = await answer.json();
    assert.ok(answer.ok, JSON.stringify(answered));
    return answered as { id: number };
  }

  const settings = (of: Page) =>
    of
      .getByRole('navigation', { name: 'Parts of the server' })
      .getByRole('link', { name: 'Settings' });
  const { button, dialog, region } = findIn(() => page);
  /** A message, which is then closed, so that it covers nothing. */
  async function toast(text: string): Promise<void> {
    const shown = page.getByRole('alert').filter({ hasText: text }).first();
    await shown.waitFor();
    await shown.getByRole('button', { name: 'Close' }).click();
    await shown.waitFor({ state: 'detached' });
  }
  const invalid = (text: string) => page.getByText(text).first().waitFor();

  it('a wrong name stands at its field, and a right one is set', async () => {
    await page.getByLabel('Host name').fill('not valid!');
    await button('Rename').click();
    await invalid('Must be a host name');
    await requireAccessible(page, 'the settings');
    await page.getByLabel('Host name').fill('web-2');
    await button('Rename').click();
    await page.getByRole('heading', { name: 'web-2', level: 1 }).waitFor();
    await toast('web-2 has its new name');
  });

  it('links lead to the sections of the page, and can be shared', async () => {
    const sections = page.getByRole('navigation', { name: 'Settings', exact: true });
    await sections.getByRole('link', { name: 'Danger zone' }).click();
    await page.waitForURL(/#danger-zone$/);
    const isAtTop = () => page.evaluate('window.scrollY === 0');
    assert.equal(await isAtTop(), false);
    await page.reload();
    await region('Danger zone').waitFor();
    await eventually(async () => assert.equal(await isAtTop(), false));
    await sections.getByRole('link', { name: 'Name' }).click();
  });

  it('a server is resized to its own specifications, and then to a size', async () => {
    await region('Size').getByLabel('Cores').fill('100000');
    await button('Resize').click();
    await region('Size').locator('[aria-invalid="true"]').waitFor();
    await region('Size').getByLabel('Cores').fill('2');
    await region('Size').getByText('It keeps running').waitFor();
    await requireAccessible(page, 'a new size');
    await button('Resize').click();
    await toast('web-2 has its new size');
    const offered = region('Size').getByRole('combobox', { name: 'New size' });
    await offered.selectOption({ label: 'large: 2 cores · 2 GiB · 20 GiB' });
    await region('Size').getByLabel('Keep the disk as it is').check();
    await button('Resize').click();
    await toast('web-2 has its new size');
  });

  it('a new password of root is generated and shown once, or entered', async () => {
    await button('Change the password').click();
    assert.match(String(await dialog().locator('code').textContent()), /^[a-z2-9]{24}$/);
    // The dialog covers its button, so that it closes by itself.
    const told = page
      .getByRole('alert')
      .filter({ hasText: 'web-2 has its new root password' })
      .first();
    await told.waitFor();
    await requireAccessible(page, 'the password');
    await button('Done').click();
    await told.waitFor({ state: 'detached' });
    await page.getByLabel('Enter one').check();
    await page.getByLabel('Password of root').fill('short');
    await button('Change the password').click();
    await region('Root password').locator('[aria-invalid="true"]').waitFor();
    await page.getByLabel('Password of root').fill('copper lantern otter');
    await button('Change the password').click();
    await toast('web-2 has its new root password');
  });

  it('labels are changed, added and removed', async () => {
    await page.getByLabel('Value of label 1').fill('prod');
    await button('Remove the label old').click();
    await button('Add a label').click();
    await page.getByLabel('Key of label 2').fill('-team');
    await button('Save the labels').click();
    await region('Labels').locator('[aria-invalid="true"]').first().waitFor();
    await requireAccessible(page, 'the labels');
    await page.getByLabel('Key of label 2').fill('team');
    await page.getByLabel('Value of label 2').fill('web');
    await button('Save the labels').click();
    await toast('The labels are saved');
  });

  it('notes are saved, and changed back', async () => {
    const notes = page.getByRole('textbox', { name: 'Notes' });
    const save = async () => {
      await notes.fill('Ask the web team.\nThen restart.');
      await button('Save the notes').click();
    };
    await save();
    const saved = page.getByRole('alert').filter({ hasText: 'The notes are saved' });
    await saved.getByRole('button', { name: 'Undo' }).click();
    await saved.waitFor({ state: 'detached' });
    await toast('It is as it was before');
    await eventually(async () => assert.equal(await notes.inputValue(), ''));
    await save();
    await toast('The notes are saved');
  });

  it('a protected server is not deleted', async () => {
    await page.getByLabel('Protect it against deletion').click();
    await toast('The server is protected against deletion');
    await region('Danger zone').getByText('The server is protected against this').waitFor();
    assert.equal(await button('Delete').count(), 0);
    await page.getByLabel('Protect it against deletion').click();
    await toast('no longer protected against deletion');
    await button('Delete').waitFor();
  });

  it('a server is paused, and continues', async () => {
    await button('Pause').click();
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await toast('web-2 is paused');
    await region('Size').getByText('This is not possible now: the server is paused.').waitFor();
    await button('Unpause').click();
    await toast('web-2 continues');
  });

  it('an administrator suspends a server, and ends the suspension', async () => {
    await button('Suspend').click();
    await region('Suspension').locator('[aria-invalid="true"]').waitFor();
    await page.getByLabel('Reason').fill('The invoice is overdue.');
    await button('Suspend').click();
    await toast('web-2 is suspended');
    await page.getByText('An administrator suspended the server').waitFor();
    await requireAccessible(page, 'a suspended server');
    await button('End the suspension').click();
    await toast('web-2 is no longer suspended');
  });

  it('a server is rebuilt once its name is typed', async () => {
    await button('Rebuild').click();
    const confirm = button('Erase the disk and rebuild');
    assert.equal(await confirm.isDisabled(), true);
    await dialog().getByText('Everything on the disk of the server is lost').waitFor();
    await page.getByLabel('Type web-2 to confirm').fill('web-2');
    await requireAccessible(page, 'the rebuild');
    await confirm.click();
    assert.match(String(await dialog().locator('code').textContent()), /^[a-z2-9]{24}$/);
    await button('Done').click();
    await toast('web-2 was rebuilt');
  });

  it('the changes are in the overview', async () => {
    await page.getByRole('link', { name: 'Overview' }).click();
    await page
      .getByRole('progressbar', { name: /of 1 TB of traffic used/ })
      .waitFor({ state: 'attached' });
    await requireAccessible(page, 'the overview');
    const facts = region('Server');
    await facts.getByText('large: 2 cores, 2 GiB of memory, 10 GiB of disk').waitFor();
    for (const text of ['env=prod', 'team=web', 'Ask the web team.'])
      await facts.getByText(text).waitFor();
  });

  it('the charts have a line or a point', async () => {
    // The colours of the axes and the grid are greys.
    const isDrawn = `(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
      .some((red, at, all) => at % 4 === 0 && all[at + 3] > 0 && Math.abs(red - all[at + 2]) > 60)`;
    const drawn = `(${isDrawn})(document.querySelector('.uplot canvas'))`;
    await page.locator('.uplot canvas').first().waitFor();
    await until('something is drawn', () => page.evaluate<boolean>(drawn));
  });

  it('nothing scrolls sideways on a phone', async () => {
    await settings(page).click();
    await region('Danger zone').waitFor();
    await requireNoSideScroll(page, 'the settings');
    await button('Rebuild').click();
    await page.getByLabel('Type web-2 to confirm').waitFor();
    await requireNoSideScroll(page, 'the form of a rebuild');
    await button('Cancel').click();
  });

  it('a viewer is offered no change', async () => {
    const { db } = panel.installation.database;
    const { credentials } = await createTestUser(db, { roles: { 1: 'viewer' } });
    const other = await panel.open();
    await signIn(other, credentials);
    await other.getByRole('link', { name: 'web-2' }).click();
    await other.getByRole('region', { name: 'Access' }).waitFor();
    assert.equal(await settings(other).count(), 0);
    for (const name of ['Stop', 'Restart', 'Pause'])
      assert.equal(await other.getByRole('button', { name, exact: true }).count(), 0);
    await other.goto(`/servers/${id}/settings`);
    await other.getByText('You can only look at this server').waitFor();
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    // Chromium reports each response with an error as well.
    const others = panel.errors.filter((text) => !text.startsWith('Failed to load resource'));
    assert.deepEqual(others, []);
  });
});
