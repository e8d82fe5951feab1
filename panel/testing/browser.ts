import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createBerth, waitForOperation } from '@berth/client';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Installation, startInstallation } from '../../cli/testing/installation.ts';
import {
  type Credentials,
  createTestUser,
  goodPassword,
} from '../../service/src/testing/people.ts';
import { eventually } from '../../service/src/testing/until.ts';
import { chromiumCommand } from '../../setup/chromium.mjs';

export interface Panel extends AsyncDisposable {
  installation: Installation;
  credentials: Credentials;
  /** Opens a page in a browser of its own, and fails the test for what it reports as an error. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** What pages have reported: errors of scripts, and what the policy has blocked. */
  errors: string[];
}

function requireChromium(): string {
  const path = chromiumCommand();
  if (path === undefined) throw new Error('Chromium is not installed.');
  return path;
}

interface PanelOptions {
  isSetUp?: boolean;
  /** More settings of the service. */
  env?: Record<string, string>;
  /** The members of its cluster; without any, it is a single Incus. */
  members?: string[];
}

/** The panel on the whole service, with an administrator, who does not exist before the setup. */
export async function startPanel({
  isSetUp = true,
  env,
  members = [],
}: PanelOptions = {}): Promise<Panel> {
  await using stack = new AsyncDisposableStack();
  execFileSync(process.execPath, [fileURLToPath(new URL('../build.ts', import.meta.url))]);
  const installation = await startInstallation(env, members);
  stack.defer(installation.close);
  const credentials = { email: 'ada@example.com', password: goodPassword };
  if (isSetUp) await createTestUser(installation.database.db, { ...credentials, isAdmin: true });
  // It runs as root in the tests.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: requireChromium(), args });
  stack.defer(() => browser.close());
  const errors: string[] = [];
  const open = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ baseURL: installation.url, ...options });
    const page = await context.newPage();
    page.on('pageerror', (error) => void errors.push(String(error)));
    page.on('console', (message) => {
      // Chromium reports each response with an error as well.
      const isResponse = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isResponse) errors.push(message.text());
    });
    return page;
  };
  const started = stack.move();
  return {
    ...{ installation, credentials, open, errors },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.goto('/');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
}

/** Creates a server by the API, and waits until it runs. Returns its ID. */
export async function createServer({ installation }: Panel, name: string): Promise<number> {
  const berth = createBerth(installation);
  const body = {
    ...{ name, location_id: 'local', os_id: 'debian-12', password: goodPassword },
    ...{ cpu: 1, ram: 512, disk: 5, initialCommands: [] },
  };
  const { data } = await berth.POST('/v1/servers', { body });
  await waitForOperation(berth, data.operation.id);
  return data.id;
}

/** Until the service asks for a confirmation. */
export async function letTimePass({ installation }: Panel, page: Page): Promise<void> {
  const confirmed_at = new Date(Date.now() - 11 * 60_000);
  await installation.database.db.updateTable('sessions').set({ confirmed_at }).execute();
  const { csrf_token } = await (await page.request.get('/v1/session')).json();
  const headers = { 'Berth-CSRF': csrf_token };
  await eventually(async () => {
    const answer = await page.request.post('/v1/passkeys/options', { headers });
    assert.equal(answer.status(), 403);
  });
}
