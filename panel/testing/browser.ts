import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createBerth, waitForOperation } from '@berth/client';
import type { Page } from 'playwright-core';
import { type Installation, startInstallation } from '../../cli/testing/installation.ts';
import type { EngineOptions } from '../../incus-sim/src/engine.ts';
import {
  type Credentials,
  createTestUser,
  goodPassword,
} from '../../service/src/testing/people.ts';
import { eventually } from '../../service/src/testing/until.ts';
import { type Browser, startChromium } from './chromium.ts';

export interface Panel extends Browser {
  installation: Installation;
  credentials: Credentials;
}

interface PanelOptions {
  isSetUp?: boolean;
  /** More settings of the service. */
  env?: Record<string, string>;
  /** More about its Incus, which is a cluster if it has members. */
  engine?: EngineOptions;
}

/** The panel on the whole service, with an administrator, who does not exist before the setup. */
export async function startPanel({
  isSetUp = true,
  env,
  engine,
}: PanelOptions = {}): Promise<Panel> {
  await using stack = new AsyncDisposableStack();
  execFileSync(process.execPath, [fileURLToPath(new URL('../build.ts', import.meta.url))]);
  const installation = await startInstallation(env, engine);
  stack.defer(installation.close);
  const credentials = { email: 'ada@example.com', password: goodPassword };
  if (isSetUp) await createTestUser(installation.database.db, { ...credentials, isAdmin: true });
  const { open, errors } = stack.use(await startChromium(installation.url));
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
