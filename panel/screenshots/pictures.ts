import type { Page } from 'playwright-core';
import { goodPassword } from '../../service/src/testing/people.ts';

interface Look {
  colorScheme?: 'light' | 'dark';
  size?: 'desktop' | 'phone';
}

export interface Picture {
  name: string;
  /** `$id` is the ID of the server that is shown. */
  path: string;
  isSignedOut?: boolean;
  /** The usual one leaves much of a short page empty. */
  height?: number;
  /** Waits until the page shows everything, and opens what is to be seen. */
  prepare(page: Page): Promise<void>;
  looks: readonly Look[];
}

const light: readonly Look[] = [{}];
const both: readonly Look[] = [{}, { colorScheme: 'dark' }];
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true }).first().waitFor();
const text = (page: Page, shown: string | RegExp) => page.getByText(shown).first().waitFor();

export const pictures: readonly Picture[] = [
  {
    name: 'sign-in',
    path: '/sign-in',
    isSignedOut: true,
    height: 480,
    looks: light,
    async prepare(page) {
      await page.getByLabel('Email address').fill('ada@example.com');
      await page.getByLabel('Password', { exact: true }).fill(goodPassword);
    },
  },
  {
    name: 'servers',
    path: '/servers',
    looks: [...both, { size: 'phone' }],
    prepare: (page) => text(page, '12 servers'),
  },
  {
    name: 'new-server',
    path: '/servers/new',
    looks: light,
    async prepare(page) {
      await page.getByLabel('Name', { exact: true }).fill('web-4');
      await page.getByText('medium', { exact: true }).click();
      const outlook = page.getByRole('region', { name: 'What would be created' });
      await outlook.getByText('Node', { exact: true }).waitFor();
      await outlook.getByText(/EUR/).first().waitFor();
    },
  },
  {
    name: 'server',
    path: '/servers/$id',
    looks: [...both, { size: 'phone' }],
    prepare: (page) => page.locator('.uplot canvas').first().waitFor(),
  },
  {
    name: 'usage',
    path: '/servers/$id',
    looks: light,
    async prepare(page) {
      await page.locator('.uplot canvas').nth(4).waitFor();
      await page.getByRole('heading', { name: 'Operations', exact: true }).waitFor();
      const usage = page.getByRole('region', { name: 'Usage', exact: true });
      await usage.evaluate((section) => section.scrollIntoView());
    },
  },
  {
    name: 'console',
    path: '/servers/$id/console',
    looks: [{ colorScheme: 'dark' }],
    async prepare(page) {
      const shows = (shown: RegExp) =>
        page.locator('.xterm-rows > div').filter({ hasText: shown }).first().waitFor();
      await shows(/login:/);
      await page.keyboard.type('root\r');
      await shows(/Password:/);
      await page.keyboard.type(`${goodPassword}\r`);
      await shows(/^root@/);
      await page.keyboard.type('echo It works\r');
      await shows(/^It works/);
    },
  },
  {
    name: 'operations',
    path: '/operations',
    looks: light,
    prepare: (page) => text(page, 'in all'),
  },
  {
    name: 'webhook',
    path: '/webhooks',
    looks: light,
    async prepare(page) {
      await page.getByRole('link', { name: 'deploy-bot' }).first().click();
      await page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first().waitFor();
    },
  },
  {
    name: 'members',
    path: '/members',
    height: 620,
    looks: light,
    prepare: (page) => text(page, 'grace@example.com'),
  },
  {
    name: 'quota',
    path: '/quota',
    height: 620,
    looks: light,
    async prepare(page) {
      await heading(page, 'Quota');
      await page.getByRole('progressbar').first().waitFor();
    },
  },
  {
    name: 'nodes',
    path: '/admin/nodes',
    looks: light,
    prepare: (page) => text(page, /^3 nodes with/),
  },
  {
    name: 'palette',
    path: '/servers',
    looks: light,
    async prepare(page) {
      await text(page, '12 servers');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find' }).fill('stop web');
      await page.getByRole('listbox', { name: 'Found' }).getByRole('option').nth(2).waitFor();
    },
  },
];
