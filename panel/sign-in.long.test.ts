import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { onFreePort } from '../e2e/ports.ts';
import { startTestProvider, type TestProvider } from '../service/src/testing/oidc.ts';
import { chromiumCommand } from '../setup/chromium.mjs';
import { requireAccessible, requireNoSideScroll } from './testing/axe.ts';
import { letTimePass, type Panel, signIn, startPanel } from './testing/browser.ts';
import { findIn } from './testing/find.ts';

// Signs in without a password, in a browser with a virtual authenticator, on the whole service with an OpenID provider.

const skip = chromiumCommand() === undefined && 'Chromium is not installed';
const grace = {
  ...{ sub: 'grace', name: 'Grace Hopper' },
  ...{ email: 'grace@example.com', email_verified: true },
};

interface Installed {
  panel: Panel;
  provider: TestProvider;
  origin: string;
}

/** Passkeys and the provider need to know the address of the panel before it is started. */
const start = () =>
  onFreePort<Installed>(async (port) => {
    const origin = `http://localhost:${port}`;
    const provider = await startTestProvider(`${origin}/v1/session/oidc`);
    const { issuer, clientId, clientSecret, name } = provider.settings;
    const env = {
      ...{ BERTH_PORT: String(port), BERTH_PUBLIC_URL: origin, BERTH_OIDC_NAME: name },
      ...{ BERTH_OIDC_ISSUER: issuer.href, BERTH_OIDC_CLIENT_ID: clientId },
      BERTH_OIDC_CLIENT_SECRET: clientSecret,
    };
    try {
      return { panel: await startPanel({ env }), provider, origin };
    } catch (error) {
      await provider.close();
      throw error;
    }
  });

/** A device that keeps passkeys, and verifies whoever uses it at once. */
async function addDevice(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return { cdp, authenticatorId };
}

describe('signing in without a password', { skip }, () => {
  let installed: Installed;
  let panel: Panel;
  let page: Page;
  let device: { cdp: CDPSession; authenticatorId: string };
  before(async () => {
    installed = await start();
    panel = installed.panel;
    page = await panel.open({ baseURL: installed.origin });
    device = await addDevice(page);
  });
  after(async () => {
    await panel?.[Symbol.asyncDispose]();
    await installed?.provider.close();
  });

  const { button, heading } = findIn(() => page);
  const alert = (words: RegExp) => page.getByRole('alert').filter({ hasText: words });
  const withPasskey = () => button('Sign in with a passkey').click();

  async function signOut(): Promise<void> {
    await button(/^Menu of/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading('Sign in to Berth').waitFor();
  }

  /** Answers the page of the provider. */
  async function atProvider(query: string): Promise<void> {
    await page.waitForURL('**/interaction/*');
    await page.goto(`${page.url()}?${query}`);
  }

  it('the page offers what the installation has', async () => {
    await page.goto('/');
    await button('Sign in with Example ID').waitFor();
    await requireAccessible(page, 'the sign-in');
    await requireNoSideScroll(page, 'the sign-in');
  });

  it('a device without a passkey is named as a possible reason', async () => {
    await withPasskey();
    await alert(/there is none for this address/).waitFor();
    await requireAccessible(page, 'the sign-in with an error');
  });

  it('a passkey is added on the account page', async () => {
    await signIn(page, panel.credentials);
    await page.goto('/account');
    await page.getByText('You have no passkeys.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Laptop');
    await button('Add a passkey').click();
    await page.getByRole('rowheader', { name: 'Laptop' }).waitFor();
    await requireAccessible(page, 'the account with a passkey');
    await button('Add a passkey').click();
    await alert(/already has a passkey of yours/).waitFor();
  });

  it('somebody signs in with the passkey, and is at the page that was asked for', async () => {
    await signOut();
    await page.goto('/ssh-keys');
    await withPasskey();
    await heading('This project has no SSH keys').waitFor();
  });

  it('somebody who signed in a while ago proves with the passkey that it is them', async () => {
    await letTimePass(panel, page);
    await page.goto('/tokens/new');
    await page.getByLabel('Name', { exact: true }).fill('by passkey');
    await page.getByLabel('Read metrics').check();
    await button('Create the token').click();
    await button('Use a passkey').waitFor();
    await requireAccessible(page, 'the confirmation');
    await requireNoSideScroll(page, 'the confirmation');
    await button('Use a passkey').click();
    await button('Done').click();
    await page.getByRole('row').filter({ hasText: 'by passkey' }).waitFor();
  });

  it('a device that does not verify the person signs nobody in', async () => {
    await signOut();
    const { cdp, authenticatorId } = device;
    const verify = (isUserVerified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    await verify(false);
    await withPasskey();
    await alert(/you cancelled, it took too long/).waitFor();
    await verify(true);
  });

  it('a passkey that was deleted is unknown, and the password still works', async () => {
    await panel.installation.database.db.deleteFrom('passkeys').execute();
    await withPasskey();
    await alert(/The passkey is unknown/).waitFor();
    await signIn(page, panel.credentials);
    await signOut();
  });

  it('somebody signs in at the provider, and is at the page that was asked for', async () => {
    installed.provider.know(grace);
    await page.goto('/account');
    await button('Sign in with Example ID').click();
    await atProvider('as=grace');
    await heading('Account').waitFor();
    await page.getByText(grace.email).first().waitFor();
    assert.equal(new URL(page.url()).pathname, '/account');
  });

  it('somebody without a password signs in again at the provider to prove that it is them', async () => {
    await letTimePass(panel, page);
    await button('Add a passkey').click();
    await button('Sign in again with Example ID').click();
    await page.waitForURL(`${installed.origin}/account`);
    await page.getByLabel('Name', { exact: true }).fill('Phone');
    await button('Add a passkey').click();
    await page.getByRole('rowheader', { name: 'Phone' }).waitFor();
    await button('Delete Phone').click();
    await button('Delete the passkey').click();
    await page.getByText('You have no passkeys.').waitFor();
    await signOut();
  });

  it('the page says why the provider has signed nobody in', async () => {
    await page.context().clearCookies();
    await page.goto('/quota');
    await button('Sign in with Example ID').click();
    await atProvider('deny');
    await alert(/Example ID did not let you in/).waitFor();
    await requireAccessible(page, 'the sign-in that was denied');
    installed.provider.know({ ...grace, sub: 'other', email: panel.credentials.email });
    await button('Sign in with Example ID').click();
    await atProvider('as=other');
    await alert(/belongs to a user who signs in in another way/).waitFor();
    await page.goto('/v1/session/oidc?code=x&state=y');
    await alert(/was begun in another browser or too long ago/).waitFor();
  });

  it('at another address of the installation, the page leads to the one with passkeys', async () => {
    const other = await panel.open({ baseURL: installed.origin.replace('localhost', '127.0.0.1') });
    await other.goto('/');
    await other.getByRole('link', { name: installed.origin }).waitFor();
    assert.equal(await other.getByRole('button', { name: /passkey/ }).count(), 0);
    await requireAccessible(other, 'the sign-in at another address');
    await requireNoSideScroll(other, 'the sign-in at another address');
  });

  it('nothing was blocked by the policy, and no script has failed', () => {
    assert.deepEqual(panel.errors, []);
  });
});
