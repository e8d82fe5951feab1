import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumCommand } from '../../setup/chromium.mjs';

export interface Browser extends AsyncDisposable {
  /** Opens a page in a browser of its own. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** What pages have reported: errors of scripts, and what the policy has blocked. */
  errors: string[];
}

/** The machine may be busy, and usage is read only every 15 seconds. */
const longestMs = 120_000;

function requireChromium(): string {
  const path = chromiumCommand();
  if (path === undefined) throw new Error('Chromium is not installed.');
  return path;
}

/** Starts Chromium for the panel of a service. */
export async function startChromium(baseURL: string): Promise<Browser> {
  // It runs as root in the tests.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: requireChromium(), args });
  const errors: string[] = [];
  return {
    errors,
    async open(options = {}) {
      const context = await browser.newContext({ baseURL, ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(longestMs);
      page.on('pageerror', (error) => {
        errors.push(String(error));
      });
      page.on('console', (message) => {
        // Chromium reports each response with an error as well.
        const isResponse = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isResponse) errors.push(message.text());
      });
      return page;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
