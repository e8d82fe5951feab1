import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type Browser, startChromium } from '../panel/testing/chromium.ts';
import { keyboardOf } from '../panel/testing/keyboard.ts';
import { createIncusClient } from '../service/src/incus/client.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { address, call, incusProject, incusSocket, password } from './api.ts';

// Tests the main task of a user in the panel: a real server from its creation to its deletion, once with nothing but the
// mouse, and once with nothing but the keyboard. Texts are typed in both.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';
const person = { email: 'panel@example.com', password: 'copper-lantern-Tuesday-otter' };
/** The time for an operation on a server, on a machine with other load. */
const timeout = 300_000;

describe('a real server in the panel', { skip }, () => {
  let browser: Browser;
  let page: Awaited<ReturnType<Browser['open']>>;
  let userId: number;
  before(async () => {
    const wish = { ...person, is_admin: true };
    const { status, body } = await call<{ id: number }>('POST', '/v1/users', wish);
    assert.equal(status, 201, JSON.stringify(body));
    userId = body.id;
    browser = await startChromium(`http://${address()}`);
  });
  after(async () => {
    await browser[Symbol.asyncDispose]();
    await call('DELETE', `/v1/users/${userId}`);
  });
  beforeEach(async () => {
    page = await browser.open();
    page.setDefaultTimeout(timeout);
    await page.goto('/');
  });
  afterEach(() => page.context().close());

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  /** Administrators have another link with this name. */
  const settings = () =>
    page
      .getByRole('navigation', { name: 'Parts of the server' })
      .getByRole('link', { name: 'Settings' });
  const dialog = () => page.getByRole('dialog');
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  /** Waits until a line of the terminal has a text. */
  const shows = (text: string | RegExp) =>
    page.locator('.xterm-rows > div').filter({ hasText: text }).first().waitFor();
  const line = async (text: string) => {
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };

  async function creationIsShown(name: string): Promise<void> {
    await heading(`Creation of ${name}`);
    await page.getByRole('progressbar').first().waitFor();
    const output = page.getByRole('region', { name: 'Output of command 1' });
    await output.getByText('greeted', { exact: true }).waitFor();
    const progress = page.getByRole('region', { name: 'Progress' });
    await progress.getByText('succeeded', { exact: true }).waitFor();
  }

  /** The terminal has the focus as soon as it is there. */
  async function consoleIsUsed(name: string): Promise<void> {
    await page
      .getByRole('status')
      .filter({ hasText: /^Connected$/ })
      .waitFor();
    await line('');
    await shows(`${name} login:`);
    await line('root');
    await shows('Password:');
    await line(password);
    await shows(`root@${name}:~#`);
    await line('echo "it is $((6 * 7))"');
    await shows(/^it is 42$/);
  }

  async function serverIsGone(): Promise<void> {
    await heading('This project has no servers');
    const incus = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
    assert.deepEqual(await incus.instances.list(), []);
    await incus.close();
    assert.deepEqual(browser.errors, []);
  }

  it('is created, used in its console, stopped and deleted with the mouse', async () => {
    const name = 'mouse-1';
    const fill = async (label: string, text: string) => {
      await field(label).click({ clickCount: 3 });
      await page.keyboard.type(text);
    };
    await fill('Email address', person.email);
    await fill('Password', person.password);
    await button('Sign in').click();
    await heading('Servers');
    await link('New server').first().click();
    await heading('New server');
    await fill('Name', name);
    await page.getByText('Debian 12', { exact: true }).click();
    await fill('Memory in MiB', '512');
    await fill('Disk in GiB', '4');
    await fill('Password of root', password);
    await button('Add a command').click();
    await page.keyboard.type('echo greeted');
    await button('Create and start').click();
    await creationIsShown(name);

    await link('Go to the server').click();
    await link('Console').click();
    await consoleIsUsed(name);
    await link(name).first().click();
    await button('Stop').click();
    await dialog().getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The server is stopped.').waitFor();

    await settings().click();
    await button('Delete').click();
    await field(`Type ${name} to confirm`).click();
    await page.keyboard.type(name);
    await button('Delete the server').click();
    await serverIsGone();
  });

  it('is created, used in its console, stopped and deleted with the keyboard', async () => {
    const name = 'keyboard-1';
    const keyboard = keyboardOf(page);
    const { press, type, tabTo, pressOn, retype, focused } = keyboard;
    await retype(field('Email address'), person.email);
    await retype(field('Password'), person.password);
    await press('Enter');
    await heading('Servers');
    await press('Control+k');
    await focused(page.getByRole('combobox', { name: 'Find' }));
    await type('new server');
    await page.getByRole('option', { name: 'New server', selected: true }).waitFor();
    await press('Enter');
    await heading('New server');
    await retype(field('Name'), name);
    const system = page.getByRole('radio', { name: 'Debian 12', exact: true });
    await tabTo(page.getByRole('radio', { checked: true }).first());
    for (let at = 0; at < 10 && !(await system.isChecked()); at += 1) await press('ArrowDown');
    assert.equal(await system.isChecked(), true);
    await retype(field('Memory in MiB'), '512');
    await retype(field('Disk in GiB'), '4');
    await retype(field('Password of root'), password);
    await pressOn(button('Add a command'));
    await focused(field('Command 1'));
    await type('echo greeted');
    await pressOn(button('Create and start'));
    await creationIsShown(name);

    await pressOn(link('Go to the server'));
    await pressOn(link('Console'));
    await consoleIsUsed(name);
    await press('Control+Shift+KeyL');
    await focused(button('Paste'));
    await tabTo(page.locator('main').getByRole('link', { name, exact: true }), 'Shift+Tab');
    await press('Enter');
    await pressOn(button('Stop'));
    await focused(dialog().getByRole('button', { name: 'Stop' }));
    await press('Enter');
    await page.getByText('The server is stopped.').waitFor();
    // The button is gone.
    await focused(page.getByRole('group', { name: 'Actions', exact: true }));

    await pressOn(settings());
    await pressOn(button('Delete'));
    await focused(field(`Type ${name} to confirm`));
    await type(name);
    await press('Enter');
    await serverIsGone();
    await focused(page.locator('main'));
    await pressOn(link('New server').first());
    await heading('New server');
  });
});
