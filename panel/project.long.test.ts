import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Berth, createBerth, waitForOperation } from '@berth/client';
import type { Page } from 'playwright-core';
import { createTestUser } from '../service/src/testing/people.ts';
import { moveUsageBack } from '../service/src/testing/usage-back.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible, requireNoSideScroll } from './testing/axe.ts';
import { type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Manages a project in a browser, on the whole service with a simulated Incus.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';
const phone = { width: 360, height: 740 };
const desktop = { width: 1280, height: 720 };
const projectId = 1;
const small = { cpu: 1, ram: 512, disk: 10 };

describe('a project in the panel', { skip }, () => {
  let panel: Panel;
  let page: Page;
  let berth: Berth;
  before(async () => {
    panel = await startPanel();
    const { db } = panel.installation.database;
    // An owner, who is no administrator.
    await createTestUser(db, { email: 'bob@example.com', roles: { [projectId]: 'owner' } });
    await createTestUser(db, { email: 'carol.of.a.rather.long.name@subsidiary.example.com' });
    await createTestUser(db, { email: 'dave@example.com', roles: { [projectId]: 'viewer' } });
    const { url, token } = panel.installation;
    berth = createBerth({ url, token });
    page = await panel.open();
    await signIn(page, { ...panel.credentials, email: 'bob@example.com' });
  });
  after(() => panel[Symbol.asyncDispose]());

  const { button, heading, link, field } = findIn(() => page);
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });

  /** In both colours, and as wide as a phone. */
  async function requireGood(what: string): Promise<void> {
    await requireAccessible(page, what);
    await requireNoSideScroll(page, what);
  }

  it('a member is added by their address', async () => {
    await link('Members').click();
    await row('bob@example.com').getByText('(you)').waitFor();
    await link('Add a member').click();
    await field('Email address').fill('nobody@example.com');
    await button('Add the member').click();
    await page.getByText('No user has this email address').waitFor();
    await requireGood('the form of a member');
    await field('Email address').fill('carol.of.a.rather.long.name@subsidiary.example.com');
    await page.getByLabel('Viewer').check();
    await button('Add the member').click();
    await row('carol').waitFor();
    await requireGood('the members');
  });

  it('the role of a member is changed, and that of the last owner is not', async () => {
    const owner = row('bob@example.com');
    await owner.getByLabel('Role of Test').selectOption('Viewer');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Change my role' }).click();
    await dialog.getByText('This is the last owner of the project').waitFor();
    await requireGood('the last owner');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row('carol').getByLabel('Role of Test').selectOption('Member');
    await page.getByText('They are now a member.').waitFor();
    assert.equal(await row('carol').getByLabel('Role of Test').inputValue(), 'member');
  });

  it('a phone has the pages in a menu', async () => {
    await page.setViewportSize(phone);
    await button('Open the navigation').click();
    await link('Members').waitFor();
    await page.setViewportSize(phone);
    await link('Members').click();
    await button('Open the navigation').waitFor();
    await page.setViewportSize(desktop);
  });

  it('a member is removed after a question', async () => {
    await row('carol').getByRole('button', { name: 'Remove Test' }).click();
    await requireGood('the removal');
    await button('Remove the member').click();
    await row('carol').waitFor({ state: 'detached' });
  });

  async function createServer(name: string, of: { size: number } | typeof small) {
    const place = { location_id: 1, os_id: 1, initialCommands: [] };
    const password = 'copper-lantern-Tuesday';
    const { data } = await berth.POST('/v1/servers', { body: { ...place, ...of, name, password } });
    await waitForOperation(berth, data.operation.id);
    return data.id;
  }

  it('the quota shows what is left, as servers come and go', async () => {
    const quota = { servers: 2, cpu: 8, ram: 4096, disk: 25, addresses: null };
    const params = { path: { id: projectId } };
    await berth.PATCH('/v1/projects/{id}', { params, body: { quota } });
    await createServer('web-1', small);
    await link('Quota').click();
    await page.getByText('1 server left').waitFor();
    const price = { hourly: '0.0074', monthly: '4.59', currency: 'EUR' };
    const size = await berth.POST('/v1/sizes', { body: { ...small, name: 'small', price } });
    const id = await createServer('web-2', { size: size.data.id });
    await page.getByText('2 of 2 servers used (100 %)').waitFor();
    await page.getByText('20 GiB of 25 GiB used (80 %)').waitFor();
    await requireGood('the quota');
    await link('Servers').click();
    await link('New server').click();
    await heading('New server').waitFor();
    await field('Name').fill('web-3');
    await button('Create and start').click();
    await page.getByText('quota is too small').waitFor();
    await requireGood('the form beyond the quota');
    await link('See what is left of the quota').click();
    await heading('Quota').waitFor();
    await page.getByText('Used up').first().waitFor();
    const { data } = await berth.DELETE('/v1/servers/{id}', { params: { path: { id } } });
    await waitForOperation(berth, data.operation_id);
    await page.getByText('1 server left').waitFor();
  });

  it('the audit log says who changed what, with the values before and after', async () => {
    await link('Audit log').click();
    const entry = page.getByRole('listitem').filter({ hasText: 'Change the role of a member' });
    await entry.filter({ hasText: 'refused: last_owner' }).waitFor();
    await requireGood('the audit log');
    const done = entry.filter({ hasNotText: 'refused' });
    await done.getByRole('button').click();
    await done.getByRole('cell', { name: 'viewer' }).waitFor();
    await done.getByRole('cell', { name: 'member' }).waitFor();
    await requireGood('an entry');
    await done.getByText('Show all about the same object').click();
    await page.getByText('3 entries, about one object').waitFor();
    assert.match(new URL(page.url()).search, /kind=user/);
    await button('Clear').click();
    await page.getByPlaceholder('Any', { exact: true }).fill('Delete a server');
    await page.getByRole('option', { name: 'Delete a server' }).click();
    await page.getByText(/server \d, which was deleted$/).waitFor();
    assert.equal(new URL(page.url()).search, '?action=server_delete');
    await field('From').fill('2099-01-01');
    await page.getByRole('link', { name: 'Show all entries' }).click();
    await entry.first().waitFor();
  });

  it('the statement has what each server used in a month, as a page and as a file', async () => {
    const { db } = panel.installation.database;
    await moveUsageBack(db, 5);
    await link('Statement').click();
    await row('web-1').waitFor();
    await row('web-2').getByText('EUR').waitFor();
    await requireGood('the statement');
    await field('Compare the servers by').selectOption('Memory');
    assert.match(page.url(), /[?&]by=ram/);
    const download = page.waitForEvent('download');
    await link('Download as CSV').click();
    assert.match((await download).suggestedFilename(), /^statement-1-\d{4}-\d\d-so-far\.csv$/);
    await page.goto('/statement?month=2020-02');
    await heading('No servers in February 2020').waitFor();
    assert.equal(await field('Month').inputValue(), '2020-02');
    await requireGood('an empty statement');
  });

  it('a viewer sees what they may do, and can leave', async () => {
    page = await panel.open();
    await signIn(page, { ...panel.credentials, email: 'dave@example.com' });
    await link('Members').click();
    await page.getByText('Your role in default').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Add a member' }).count(), 0);
    await requireGood('the members for a viewer');
    for (const name of ['Quota', 'Audit log', 'Statement']) {
      await link(name).click();
      await heading(name).waitFor();
    }
    await row('web-1').waitFor();
    await link('Members').click();
    await button('Leave the project').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave the project' }).click();
    await heading('You are not a member of any project').waitFor();
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    // Chromium reports each response with an error as well.
    const others = panel.errors.filter((text) => !text.startsWith('Failed to load resource'));
    assert.deepEqual(others, []);
  });
});
