import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import { signIn, startPanel } from '../testing/browser.ts';
import { enterData } from './data.ts';
import { type Picture, pictures } from './pictures.ts';

// `npm run screenshots` makes the pictures of the panel in docs/panel/: of a simulated installation with three nodes and a
// dozen servers. With names of pictures, it makes only those.

const folder = fileURLToPath(new URL('../../docs/panel/', import.meta.url));
const sizes = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>;

const asked = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
await using panel = await startPanel({
  engine: {
    members: ['node-1', 'node-2', 'node-3'],
    // Of others, each node would warn, because they have known vulnerabilities.
    version: '7.0.2',
    memoryBytes: 32 * 2 ** 30,
  },
  // The receiver of its webhooks is on this machine.
  env: { BERTH_WEBHOOK_HTTP: 'true', BERTH_WEBHOOK_NETWORKS: '127.0.0.0/8' },
});
const serverId = await enterData(panel.installation);

for (const picture of pictures) {
  if (asked.length > 0 && !asked.includes(picture.name)) continue;
  for (const look of picture.looks) await take(picture, look);
}

async function take(picture: Picture, look: Picture['looks'][number]): Promise<void> {
  const { colorScheme = 'light', size = 'desktop' } = look;
  const { viewport, ...more } = sizes[size];
  const options = {
    ...more,
    viewport: { ...viewport, ...(picture.height && { height: picture.height }) },
    colorScheme,
    reducedMotion: 'reduce' as const,
  };
  const page = await panel.open({ ...options, locale: 'en-GB', timezoneId: 'UTC' });
  if (!picture.isSignedOut) await signIn(page, panel.credentials);
  await page.goto(picture.path.replace('$id', String(serverId)));
  await picture.prepare(page);
  // Loaded after the page.
  const navigation = page.getByRole('link', { name: 'Address pools', includeHidden: true });
  if (!picture.isSignedOut) await navigation.waitFor({ state: 'attached' });
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  const ending = `${size === 'phone' ? '-phone' : ''}${colorScheme === 'dark' ? '-dark' : ''}`;
  const path = `${folder}${picture.name}${ending}.png`;
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  await page.context().close();
  console.log(
    `docs/panel/${picture.name}${ending}.png: ${Math.ceil(statSync(path).size / 1000)} KB`,
  );
}
