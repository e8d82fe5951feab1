import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../service/src/testing/until.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible } from './testing/axe.ts';
import { type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Uses the panel in a browser, on the whole service with a simulated Incus.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';

describe('the panel', { skip }, () => {
  let panel: Panel;
  let page: Page;
  before(async () => {
    panel = await startPanel();
    page = await panel.open();
  });
  after(() => panel[Symbol.asyncDispose]());

  const { button, heading } = findIn(() => page);

  it('somebody with a wrong password is told so, and signs in with the right one', async () => {
    await page.goto('/servers?q=web');
    await page.getByLabel('Email address').fill(panel.credentials.email);
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await requireAccessible(page, 'signing in');
    await button('Sign in').click();
    await page
      .getByRole('alert')
      .filter({ hasText: /password/i })
      .waitFor();
    await page.getByLabel('Password', { exact: true }).fill(panel.credentials.password);
    await button('Sign in').click();
    await page.getByText('No server matches the filters').waitFor();
    assert.equal(new URL(page.url()).search, '?q=web');
    await page.getByRole('link', { name: 'Show all servers' }).click();
    await heading('This project has no servers').waitFor();
    await requireAccessible(page, 'the list without servers');
  });

  it('the errors of a create are shown at their fields', async () => {
    await page.getByRole('link', { name: 'New server' }).first().click();
    await heading('New server').waitFor();
    await page.getByLabel('Name').fill('not valid!');
    await button('Create and start').click();
    await page.getByText('Must be a host name').waitFor();
    assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true');
    await requireAccessible(page, 'the form');
  });

  it('the form says where the server would run, without being asked', async () => {
    await page.getByLabel('Name').fill('web-1');
    const outlook = page.getByRole('region', { name: 'What would be created' });
    await outlook.getByText('Node', { exact: true }).waitFor();
  });

  it('a created server is shown with its password once, and then until it runs', async () => {
    await button('Create and start').click();
    const dialog = page.getByRole('dialog');
    assert.match(String(await dialog.locator('code').textContent()), /^[a-z2-9]{24}$/);
    await requireAccessible(page, 'the password');
    await button('Watch the creation').click();
    await heading('Creation of web-1').waitFor();
    await page.getByText('web-1 is ready').waitFor();
    await page.getByRole('link', { name: 'Go to the server' }).click();
    await heading('web-1').waitFor();
    await page.getByText('The server is running.').waitFor();
    await page.getByText(/^ssh root@/).waitFor();
    await requireAccessible(page, 'a server');
  });

  it('a server is stopped in the list, which shows it as it is without being read again', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Servers' }).click();
    const row = page.getByRole('row').filter({ hasText: 'web-1' });
    await row.getByText('started', { exact: true }).waitFor();
    await requireAccessible(page, 'the list');
    await button('Stop web-1').click();
    await requireAccessible(page, 'the question');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await row.getByText('stopped', { exact: true }).waitFor();
    await button('Start web-1').waitFor();
    assert.equal(await button('Stop web-1').count(), 0);
  });

  it('several servers are started at once', async () => {
    await page.getByRole('checkbox', { name: 'Select all servers' }).check();
    await page
      .getByRole('group', { name: 'Selected servers' })
      .getByRole('button', { name: 'Start' })
      .click();
    await page.getByRole('row').getByText('started', { exact: true }).waitFor();
  });

  it('the operations of the project are listed, and filtered in the URL', async () => {
    const toOperations = page.getByRole('navigation').getByRole('link', { name: 'Operations' });
    await toOperations.click();
    const rows = page.getByRole('list', { name: 'Operations' }).getByRole('listitem');
    await page.getByText('3 in all').waitFor();
    assert.equal(await rows.count(), 3);
    await requireAccessible(page, 'the operations');
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Stop', exact: true }).click();
    await page.getByText('1 in all').waitFor();
    await page.reload();
    await page.getByText('1 in all').waitFor();
    await rows.getByRole('link', { name: 'web-1' }).click();
    await heading('web-1').waitFor();
  });

  it('a server is deleted once its name is typed', async () => {
    const parts = page.getByRole('navigation', { name: 'Parts of the server' });
    await parts.getByRole('link', { name: 'Settings' }).click();
    await button('Delete').click();
    const confirm = button('Delete the server');
    assert.equal(await confirm.isDisabled(), true);
    await page.getByLabel('Type web-1 to confirm').fill('web-1');
    await requireAccessible(page, 'the deletion');
    await confirm.click();
    await heading('This project has no servers').waitFor();
  });

  it('somebody who has signed out cannot go back', async () => {
    await button(/^Menu of/).click();
    await requireAccessible(page, 'the menu');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Email address').waitFor();
    await page.goto('/servers/1');
    await page.getByLabel('Email address').waitFor();
  });

  it('somebody whose session has ended signs in again, and is where they were', async () => {
    await signIn(page, panel.credentials);
    await page.goto('/servers/7');
    await heading('There is no such server').waitFor();
    const { request } = page.context();
    const { csrf_token } = await (await request.get('/v1/session')).json();
    await request.delete('/v1/session', { headers: { 'Berth-CSRF': csrf_token } });
    await page.getByLabel('Email address').fill(panel.credentials.email);
    await page.getByLabel('Password', { exact: true }).fill(panel.credentials.password);
    await button('Sign in').click();
    await heading('There is no such server').waitFor();
  });

  it('what the document asks for first is requested once', async () => {
    const { url, token } = panel.installation;
    const requests = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const text = await (await fetch(`${url}/metrics`, { headers })).text();
      const counter =
        /^berth_http_requests_total\{method="GET",route="([^"]+)",status="200"\} (\d+)$/gm;
      return new Map([...text.matchAll(counter)].map(([, route, count]) => [route, Number(count)]));
    };
    const before = await requests();
    await page.goto('/servers');
    await heading('This project has no servers').waitFor();
    await eventually(async () => {
      const after = await requests();
      for (const route of ['/v1/session', '/v1/projects']) {
        assert.equal((after.get(route) ?? 0) - (before.get(route) ?? 0), 1, route);
      }
    });
  });

  it('a menu is opened and closed with the keyboard as soon as its button is there', async () => {
    await page.reload();
    const menu = button(/^Menu of/);
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('[role="menuitem"]:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor({ state: 'detached' });
    await page.locator('button[aria-label^="Menu of"]:focus').waitFor();
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    assert.deepEqual(panel.errors, []);
  });
});
