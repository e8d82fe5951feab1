import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createHome, type Session } from '../cli/testing/terminal.ts';
import { createTestProject } from '../service/src/testing/people.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible } from './testing/axe.ts';
import { type Panel, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Signs in the command line in a browser, on the whole service.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';

describe('a sign-in of the command line', { skip }, () => {
  let panel: Panel;
  let page: Page;
  before(async () => {
    panel = await startPanel();
    page = await panel.open();
    await createTestProject(panel.installation.database.db, 'web-team');
  });
  after(() => panel[Symbol.asyncDispose]());

  const { berth, inTerminal } = createHome();
  const { button, field } = findIn(() => page);

  /** Runs `berth login`, and returns the page that it opens. */
  async function begin(name: string): Promise<{ session: Session; opened: string }> {
    const opened = Promise.withResolvers<string>();
    const browser = async (shown: string) => opened.resolve(shown);
    const session = inTerminal(['login', panel.installation.url, '--name', name], { browser });
    return { session, opened: await opened.promise };
  }

  it('somebody who is not signed in signs in, and comes back to the request', async () => {
    const { session, opened } = await begin('first');
    await page.goto(opened);
    await field('Email address').fill(panel.credentials.email);
    await field('Password').fill(panel.credentials.password);
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Sign in the command line' }).waitFor();
    const code = new URL(opened).searchParams.get('code') ?? '';
    await page.getByText(code, { exact: true }).waitFor();
    await session.sees(`shows the code ${code}`);
    await requireAccessible(page, 'the request');
    await button('Approve').click();
    await page.getByText('The command line is signed in.').waitFor();
    await requireAccessible(page, 'after the approval');
    const { status } = await session.ended();
    assert.equal(status, 0, session.shown());
    assert.match(session.shown(), new RegExp(`as ${panel.credentials.email}, in the project`));
    assert.equal((await berth(['server', 'list'])).status, 0);
    await page.goto(opened);
    await page.getByText('No program waits with this code').waitFor();
    await requireAccessible(page, 'a used code');
  });

  it('the token is of the chosen project, with what is chosen, after a proof of the person', async () => {
    const { session, opened } = await begin('second');
    await page.goto(opened);
    await page.getByRole('combobox', { name: 'Project' }).selectOption('web-team');
    await page.getByText('asks for a token of the project web-team').waitFor();
    await page.getByLabel('Administer everything').uncheck();
    await field('Expires').selectOption('in a day');
    const { db } = panel.installation.database;
    const confirmed_at = new Date(Date.now() - 11 * 60_000).toISOString();
    await db.updateTable('sessions').set({ confirmed_at }).execute();
    await button('Approve').click();
    // The service may remember the session for a moment.
    const asked = page.getByRole('dialog');
    const approved = page.getByText('The command line is signed in.');
    await asked.or(approved).waitFor();
    if (await asked.isVisible()) {
      await field('Password').fill(panel.credentials.password);
      await button('Go on').click();
    }
    await approved.waitFor();
    assert.equal((await session.ended()).status, 0, session.shown());
    const who = JSON.parse((await berth(['whoami', '-o', 'json'])).stdout);
    assert.equal(who.project.name, 'web-team');
    assert.ok(!who.scopes.includes('admin') && who.expires_at !== null);
  });

  it('somebody types the code, and denies it', async () => {
    const { session, opened } = await begin('third');
    await page.goto('/authorize');
    await field('Code').fill('7');
    await button('Go on').click();
    await page.getByText('Must be eight letters').waitFor();
    await requireAccessible(page, 'the form of a code');
    const code = new URL(opened).searchParams.get('code') ?? '';
    await field('Code').fill(code.toLowerCase().replace('-', ' '));
    await button('Go on').click();
    await button('Deny').click();
    await page.getByText('The command line was denied').waitFor();
    assert.equal((await session.ended()).status, 3, session.shown());
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    const others = panel.errors.filter((text) => !text.startsWith('Failed to load resource'));
    assert.deepEqual(others, []);
  });
});
