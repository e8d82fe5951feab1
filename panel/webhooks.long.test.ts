import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { repeatLastEvent } from '../service/src/testing/events.ts';
import { eventually } from '../service/src/testing/until.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible, requireNoSideScroll } from './testing/axe.ts';
import { type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Sends events to a receiver, and looks at them, in a browser, on the whole service.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';
const env = { BERTH_WEBHOOK_HTTP: 'true', BERTH_WEBHOOK_NETWORKS: '127.0.0.0/8' };

/** Answers as it was told last. */
async function startReceiver() {
  const receiver = { status: 200, url: '', [Symbol.asyncDispose]: async () => {} };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(receiver.status).end('thank you'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/berth`;
  receiver[Symbol.asyncDispose] = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return receiver;
}

describe('webhooks, events and commands in the panel', { skip }, () => {
  let panel: Panel;
  let page: Page;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  before(async () => {
    receiver = await startReceiver();
    panel = await startPanel({ env });
    page = await panel.open();
    await signIn(page, panel.credentials);
  });
  after(async () => {
    await panel[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const { button, heading, link, field, choice, dialog } = findIn(() => page);
  const deliveries = () => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');

  async function createWeb1(): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name: 'Servers' }).click();
    await link('New server').click();
    await heading('New server').waitFor();
    await field('Name').fill('web-1');
    await button('Create and start').click();
    await button('Watch the creation').click();
    await page.getByText('web-1 is ready').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
    await link('deploy-bot').click();
    await heading('deploy-bot').waitFor();
  }

  async function look(what: string): Promise<void> {
    await requireAccessible(page, what);
    await requireNoSideScroll(page, what);
  }

  it('the errors of a new webhook are shown at their fields', async () => {
    await link('Webhooks').click();
    await heading('This project has no webhooks').waitFor();
    await look('the list without webhooks');
    await link('New webhook').click();
    await field('Name').fill('deploy-bot');
    await field('URL').fill(receiver.url);
    await page.getByLabel('Only events of some types').check();
    await button('Create the webhook').click();
    await page.getByText('Choose at least one type').waitFor();
    await page.getByLabel('All events, also of types').check();
    await field('URL').fill('ftp://hooks.example.com');
    await button('Create the webhook').click();
    await page.locator('[name="url"][aria-invalid="true"]:focus').waitFor();
    await page.getByLabel('Only events of some types').check();
    await look('the form of a webhook');
  });

  it('a new webhook shows its secret once', async () => {
    await field('URL').fill(receiver.url);
    await page.getByLabel('Server started').check();
    await button('Create the webhook').click();
    assert.match(String(await dialog().locator('code').textContent()), /^whsec_/);
    await look('the secret');
    await button('Go to the webhook').click();
    await heading('deploy-bot').waitFor();
    await heading('Nothing was sent yet').waitFor();
  });

  it('a test is sent, and its delivery says what the receiver has responded', async () => {
    await button('Send a test').click();
    await deliveries().getByText('Attempt 1: response 200').waitFor();
    await page.getByText('Response', { exact: true }).click();
    await page.getByText('thank you').waitFor();
    await look('a webhook');
  });

  it('an event is sent as it happens, and again on request', async () => {
    await createWeb1();
    await deliveries().filter({ hasText: 'Server started' }).getByText('delivered').waitFor();
    receiver.status = 500;
    await button(/^Redeliver event/).click();
    await deliveries().getByText('sent again').waitFor();
    await deliveries().getByText('response 500').waitFor();
    await page.getByText('Failing since').waitFor();
    await look('a webhook that fails');
    receiver.status = 200;
    await button(/^Send now event/).click();
    await page.getByText('Events are sent as they happen.').waitFor();
    await choice('Status').click();
    await page.getByRole('option', { name: 'failed' }).click();
    await heading('No delivery is failed').waitFor();
  });

  it('a webhook is disabled, enabled, changed, and gets another secret', async () => {
    await button('Disable').click();
    await page.getByText('Somebody has disabled it').waitFor();
    await button('Enable').click();
    await button('Disable').waitFor();
    await link('Edit').click();
    await heading('Edit deploy-bot').waitFor();
    await page.getByLabel('Server stopped').check();
    await look('the form of a change');
    await button('Save').click();
    await page.getByText('Server started, Server stopped').waitFor();
    await button('Replace the secret').click();
    await look('the question about the secret');
    await button('Make a new secret').click();
    await page.getByText(/^whsec_/).waitFor();
    await button('Done').click();
    await page.getByText('Two are valid until').waitFor();
    await link('Webhooks').click();
    await page.getByRole('rowheader', { name: 'deploy-bot' }).waitFor();
    await look('the list of webhooks');
  });

  it('a webhook is deleted after a question', async () => {
    await link('deploy-bot').click();
    await button('Delete').click();
    await look('the question about the deletion');
    await button('Delete the webhook').click();
    await heading('This project has no webhooks').waitFor();
  });

  const events = () => page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  async function openPalette(): Promise<void> {
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: 'Find' }).and(page.locator(':focus')).waitFor();
  }

  const option = (name: string) => page.getByRole('option', { name, exact: true });

  it('events are filtered by type and by server, which are in the URL', async () => {
    await link('Events').click();
    await events()
      .filter({ hasText: /Server started\s*web-1/ })
      .first()
      .waitFor();
    await look('the events');
    await choice('Type').fill('Operation ended');
    await option('Operation ended').click();
    await page.getByText('Create: The server was created.').waitFor();
    assert.equal(await events().filter({ hasText: 'Server started' }).count(), 0);
    await choice('Server').fill('web');
    await option('web-1').click();
    await page.waitForURL(/type=operation.ended&server=\d+$/);
    await page.reload();
    await events().getByText('Data').first().click();
    await page.getByText('succeeded', { exact: true }).waitFor();
    assert.equal(await choice('Server').inputValue(), 'web-1');
    await look('the data of an event');
    await button('Clear').click();
    await events()
      .filter({ hasText: /Server started\s*web-1/ })
      .first()
      .waitFor();
  });

  it('the progress of an operation is one event, unless nothing else is listed', async () => {
    const progress = events().filter({ hasText: 'Operation in progress' });
    await progress.getByText(/^\d+ earlier messages$/).click();
    assert.equal(await progress.count(), 1);
    await look('the progress of an operation');
    await choice('Type').fill('Operation in progress');
    await option('Operation in progress').click();
    await eventually(async () => assert.ok((await progress.count()) > 1));
    await button('Clear').click();
    await events()
      .filter({ hasText: /Server started\s*web-1/ })
      .first()
      .waitFor();
  });

  it('an action is begun with the keyboard alone, and its events are listed as they happen', async () => {
    assert.equal(
      await events()
        .filter({ hasText: /Server stopped\s*web-1/ })
        .count(),
      0,
    );
    await openPalette();
    await look('the commands');
    await page.keyboard.type('stop web');
    await option('Stop web-1').waitFor();
    await look('commands that were found');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.press('Enter');
    await events()
      .filter({ hasText: /Server stopped\s*web-1/ })
      .waitFor();
  });

  it('earlier events are loaded on request', async () => {
    await repeatLastEvent(panel.installation.database.db, 'server.stopped', 200);
    await page.reload();
    await button('Show earlier events').waitFor();
    const latest = await events().count();
    await button('Show earlier events').click();
    await eventually(async () => assert.ok((await events().count()) > latest));
  });

  it('a page and a server are found with the keyboard alone', async () => {
    await openPalette();
    await page.keyboard.type('tok');
    await option('Tokens').waitFor();
    await page.keyboard.press('Enter');
    await heading('Tokens').waitFor();
    await openPalette();
    await page.keyboard.type('WEB-');
    await option('web-1 stopped').waitFor();
    await page.keyboard.press('Enter');
    await heading('web-1').waitFor();
    await page
      .getByRole('region', { name: 'Events' })
      .getByText('Server stopped')
      .first()
      .waitFor();
    await look('a server with its events');
    await link('All events of the server').click();
    await page.waitForURL(/events\?server=\d+$/);
  });

  it('keys lead to pages, but not while somebody types in a field', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await heading('Operations').waitFor();
    await page.keyboard.press('c');
    await field('Name').fill('');
    await field('Name').pressSequentially('gsc?');
    assert.equal(await field('Name').inputValue(), 'gsc?');
    await heading('New server').waitFor();
    await field('Name').blur();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await heading('Servers').waitFor();
    await page.keyboard.press('/');
    await page.locator('[role="search"] input:focus').waitFor();
  });

  it('the shortcuts are listed, and can be turned off', async () => {
    await page.locator(':focus').blur();
    await page.keyboard.press('?');
    await look('the shortcuts');
    await page.getByLabel('Shortcuts of single keys').uncheck();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await openPalette();
    assert.equal(await dialog().count(), 1);
    await page.keyboard.type('keyboard');
    await option('Keyboard shortcuts').waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Shortcuts of single keys').check();
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    assert.deepEqual(panel.errors, []);
  });
});
