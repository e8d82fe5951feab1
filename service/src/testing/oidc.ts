import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { OidcSettings } from '../identities/provider.ts';

/** The claims of the provider about a person. */
export interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface TestProvider {
  settings: OidcSettings;
  /** Lets a browser sign in as this person: the page of the sign-in, with `?as=` and the `sub`, or with `?deny`. */
  know(account: Account): void;
  /** Signs in there like a browser. Returns the query of the redirect to Berth. */
  visit(authorizationUrl: string, account: Account): Promise<string>;
  close(): Promise<void>;
}

export const clientSecret = 'canary-of-the-client-secret';

/** A real OpenID provider on the loopback address, which accepts any claims. */
export async function startTestProvider(redirectUri: string): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const clientId = 'berth';
  const accounts = new Map<string, Account>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['for tests'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: async () => ({ ...accounts.get(sub), sub }),
    }),
    async loadExistingGrant({ oidc }) {
      const accountId = oidc.session?.accountId ?? '';
      const grant = new oidc.provider.Grant({ clientId, accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer);
    const accountId = searchParams.get('as');
    if (pathname.startsWith('/interaction/') && (accountId || searchParams.has('deny'))) {
      const outcome = accountId ? { login: { accountId } } : { error: 'access_denied' };
      return await provider.interactionFinished(request, response, outcome);
    }
    await answer(request, response);
  });

  const know = (account: Account) => void accounts.set(account.sub, account);

  async function visit(authorizationUrl: string, account: Account): Promise<string> {
    know(account);
    const cookies = new Map<string, string>();
    let url = new URL(authorizationUrl);
    for (let steps = 0; steps < 10; steps += 1) {
      if (url.href.startsWith(redirectUri)) return url.search;
      if (url.pathname.startsWith('/interaction/')) url.searchParams.set('as', account.sub);
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const page = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const set of page.headers.getSetCookie()) {
        const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
        cookies.set(name, value);
      }
      const location = page.headers.get('location');
      if (!location) throw new Error(`The provider returned ${page.status}: ${await page.text()}`);
      url = new URL(location, url);
    }
    throw new Error('The provider did not redirect the browser to Berth.');
  }

  return {
    settings: {
      ...{ issuer: new URL(issuer), clientId, clientSecret },
      ...{ name: 'Example ID', allowedDomains: [] },
    },
    ...{ know, visit },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
