import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { enterDrift } from '../service/src/testing/drift.ts';
import { installation } from '../service/src/testing/fixtures.ts';
import { createTestUser } from '../service/src/testing/people.ts';
import { enterServer } from '../service/src/testing/servers.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible, requireNoSideScroll } from './testing/axe.ts';
import { createServer, type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Administers a cluster in a browser, on the whole service with a simulated Incus.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';

describe('the administration in the panel', { skip }, () => {
  let panel: Panel;
  let page: Page;
  before(async () => {
    panel = await startPanel({ engine: { members: ['alpha', 'beta', 'gamma'] } });
    for (const name of ['web-1', 'web-2', 'db-1']) await createServer(panel, name);
    page = await panel.open();
    await signIn(page, panel.credentials);
  });
  after(() => panel[Symbol.asyncDispose]());

  const { button, heading, field } = findIn(() => page);
  const node = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });

  async function goTo(name: string): Promise<void> {
    const navigation = page.getByRole('navigation');
    await navigation.getByRole('link', { name, exact: true }).click();
    await heading(name).waitFor();
  }

  /** Chooses an action of the menu of a node. */
  async function act(name: string, action: string): Promise<void> {
    await button(`Actions on ${name}`).click();
    await page.getByRole('menuitem', { name: action }).click();
  }

  /** A page looks right for everybody, and on a phone nothing has to be scrolled sideways. */
  async function requireUsable(what: string): Promise<void> {
    await requireAccessible(page, what);
    await requireNoSideScroll(page, what);
  }

  it('the nodes show who is where, and what is free', async () => {
    await goTo('Nodes');
    await page.getByText(/^3 nodes with 3 servers/).waitFor();
    await page.getByRole('link', { name: 'db-1' }).waitFor();
    await node('alpha').getByText('online').waitFor();
    await requireUsable('the nodes');
    await page.getByLabel('Name').fill('bet');
    await page.getByText(/^1 node with/).waitFor();
    assert.equal(new URL(page.url()).search, '?q=bet');
    await button('Clear').click();
    await page.getByText(/^3 nodes/).waitFor();
  });

  it('a node is cordoned, and accepts servers again', async () => {
    await act('alpha', 'Cordon');
    await node('alpha').getByText('It gets no new servers').waitFor();
    await act('alpha', 'Uncordon');
    await node('alpha').getByText('It gets no new servers').waitFor({ state: 'detached' });
  });

  it('a node is evacuated, and gets its servers back', async () => {
    await act('beta', 'Evacuate');
    await requireAccessible(page, 'the question');
    await button('Evacuate the node').click();
    await node('beta').getByText('It was taken out of service').waitFor();
    await node('beta').getByText('succeeded').waitFor();
    await node('beta').getByText('0 servers').waitFor();
    await requireUsable('an evacuated node');
    await act('beta', 'Restore');
    await button('Restore the node').click();
    await node('beta').getByText('1 server', { exact: true }).waitFor();
    await node('beta').getByText('Restore the node succeeded').waitFor();
    await node('beta').getByRole('button', { name: 'Dismiss' }).click();
    await node('beta').getByText('succeeded').waitFor({ state: 'detached' });
  });

  it('a node that does not answer is shown as offline, without a reload', async () => {
    panel.installation.simulator.takeMemberDown('gamma', true);
    await node('gamma').getByText('It does not answer').waitFor();
    await requireUsable('an offline node');
    await goTo('Health');
    await page.getByText('Node gamma, urgent').waitFor();
    await requireUsable('the health');
    panel.installation.simulator.takeMemberDown('gamma', false);
    await page.getByText('Node gamma, urgent').waitFor({ state: 'detached' });
  });

  it('a project is created, and changed', async () => {
    await goTo('Projects');
    await requireUsable('the projects');
    await page.getByRole('link', { name: 'New project' }).click();
    await field('Name').fill('not valid!');
    await field('Cores').fill('12');
    await button('Create the project').click();
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    await requireUsable('the form of a project');
    await field('Name').fill('web team');
    await button('Create the project').click();
    await heading('web team').waitFor();
    await page.getByText('0 of 12', { exact: true }).waitFor();
    await requireUsable('a project');
    await field('Servers').fill('5');
    await button('Save').click();
    await page.getByText('0 of 5', { exact: true }).waitFor();
  });

  it('a user is added, with a password that lets them in', async () => {
    await goTo('Users');
    await requireUsable('the users');
    await page.getByRole('link', { name: 'Add a user' }).click();
    await field('Email address').fill('bob@example.com');
    await field('Name').fill('Bob');
    await page.getByLabel('Member of the project').selectOption('web team');
    await requireUsable('the form of a user');
    await button('Add the user').click();
    const secret = page.getByRole('dialog').locator('code');
    const password = String(await secret.textContent());
    await button('Done').click();
    await page.getByRole('link', { name: 'bob@example.com' }).waitFor();
    const theirs = await panel.open();
    await signIn(theirs, { email: 'bob@example.com', password });
    await theirs.getByText('web team').waitFor();
  });

  it('a user is disabled and enabled, and gets another password', async () => {
    await button('Disable bob@example.com').click();
    await button('Disable the user').click();
    const row = page.getByRole('row').filter({ hasText: 'bob@example.com' });
    await row.getByText('disabled').waitFor();
    await button('Enable bob@example.com').click();
    await row.getByText('disabled').waitFor({ state: 'detached' });
    await row.getByRole('link').click();
    await heading('bob@example.com').waitFor();
    await requireUsable('a user');
    await button('Set a new password').click();
    await button('Set the password').click();
    const password = await page.getByRole('dialog').locator('code').textContent();
    assert.match(String(password), /^[a-z2-9]{24}$/);
    await button('Done').click();
  });

  it('a size is created, changed, and taken out of use', async () => {
    await goTo('Sizes');
    await page.getByRole('link', { name: 'New size' }).first().click();
    for (const [name, value] of Object.entries({
      Name: 'small',
      Cores: '2',
      'Price of an hour': 'x',
    }))
      await field(name).fill(value);
    await button('Create the size').click();
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    await field('Memory, in MiB').fill('2048');
    await field('Disk, in GiB').fill('20');
    await field('Price of an hour').fill('0.01');
    await requireUsable('the form of a size');
    await button('Create the size').click();
    const row = page.getByRole('row').filter({ hasText: 'small' });
    await row.getByText('0.01 EUR an hour').waitFor();
    await requireUsable('the sizes');
    await row.getByRole('link', { name: 'small' }).click();
    await field('Most in a month').fill('5');
    await button('Save').click();
    await row.getByText('at most 5 EUR a month').waitFor();
    await button('Take out of use small').click();
    await row.getByText('out of use').first().waitFor();
  });

  it('a location is changed', async () => {
    await goTo('Locations');
    await page.getByText('reachable', { exact: true }).waitFor();
    await requireUsable('the locations');
    await page.getByRole('link', { name: 'local' }).click();
    await heading('local').waitFor();
    await field('Description').fill('This machine');
    await requireUsable('a location');
    await button('Save').click();
    await page.getByText('The location local was changed').waitFor();
    await goTo('Locations');
    await page.getByText('This machine').waitFor();
  });

  it('an address pool is disabled, and another one is refused with the reason', async () => {
    await goTo('Address pools');
    await requireUsable('the address pools');
    await button(/^Disable /)
      .first()
      .click();
    await page.getByText('not for new servers').waitFor();
    await button(/^Enable /).click();
    await page.getByText('not for new servers').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Add an address pool' }).click();
    await field('Subnet').fill('nowhere');
    await field('Gateway').fill('203.0.113.1');
    await button('Add the address pool').click();
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    await requireUsable('the form of an address pool');
  });

  it('an operating system shows where its image is', async () => {
    await goTo('Operating systems');
    await requireUsable('the operating systems');
    await page.getByRole('link', { name: 'Add an operating system' }).click();
    await requireUsable('the form of an operating system');
    await goTo('Operating systems');
    await page.getByRole('link', { name: 'Debian 12' }).click();
    await page.getByRole('rowheader', { name: 'local' }).waitFor();
    await requireUsable('an operating system');
  });

  it('the settings are changed', async () => {
    await goTo('Settings');
    await field('Operations, in months').fill('6');
    await requireUsable('the settings');
    await button('Save').click();
    await page.getByText('The settings were changed').waitFor();
    await page.reload();
    assert.equal(await field('Operations, in months').inputValue(), '6');
  });

  it('drift is repaired, forgotten and adopted after a question', async () => {
    const { db } = panel.installation.database;
    // Nobody sweeps this location, because its Incus cannot be reached.
    const place = await installation(db);
    const serverId = await enterServer(db, place);
    await enterDrift(db, place, { serverId });
    await enterDrift(db, place, { instance: 'by-hand' });
    await goTo('Drift');
    await page.getByText('config.limits.cpu is 8, and should be 1').waitFor();
    await requireUsable('the drift');
    await button(/^Repair /).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Repair it' }).click();
    // The bar of a repair that has not begun has no width.
    await page.getByRole('progressbar', { name: /^Repairing/ }).waitFor({ state: 'attached' });
    await button('Adopt by-hand').click();
    await requireAccessible(page, 'the dialog of an adoption');
    await button('Adopt it').click();
    await page.getByRole('dialog').locator('[aria-invalid="true"]').first().waitFor();
    await button('Cancel').click();
    await button('Forget by-hand').click();
    await button('Forget it').click();
    await button('Forget by-hand').waitFor({ state: 'detached' });
    await page.getByLabel('Only what was forgotten').check();
    await page.getByRole('heading', { name: 'by-hand' }).waitFor();
    assert.equal(new URL(page.url()).search, '?forgotten=true');
  });

  it('a server of another project is shown in its project', async () => {
    await button(/^Project: /).click();
    await page.getByRole('menuitem', { name: 'web team' }).click();
    await heading('This project has no servers').waitFor();
    await goTo('Nodes');
    await page.getByRole('link', { name: 'db-1' }).click();
    await heading('db-1').waitFor();
    await button('Project: default').waitFor();
  });

  it('somebody who is no administrator does not see it', async () => {
    const { db } = panel.installation.database;
    const roles = { 1: 'owner' } as const;
    const { credentials } = await createTestUser(db, { roles });
    const theirs = await panel.open();
    await signIn(theirs, credentials);
    assert.equal(await theirs.getByText('Administration').count(), 0);
    await theirs.goto('/admin/nodes');
    await theirs.getByText('There is no such page').waitFor();
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    // Chromium reports each response with an error as well.
    const others = panel.errors.filter((text) => !text.startsWith('Failed to load resource'));
    assert.deepEqual(others, []);
  });
});
