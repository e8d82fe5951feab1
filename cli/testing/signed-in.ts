import { after } from 'node:test';
import { type Installation, startInstallation } from './installation.ts';
import { createHome } from './terminal.ts';

/** An installation for the tests of a file, and somebody who is signed in to it as an administrator. */
export async function signedIn(): Promise<Installation & ReturnType<typeof createHome>> {
  const installation = await startInstallation();
  after(installation.close);
  const { url, token } = installation;
  const home = createHome({ BERTH_URL: url, BERTH_TOKEN: token });
  return { ...installation, ...home };
}
