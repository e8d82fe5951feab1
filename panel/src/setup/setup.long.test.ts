import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { goodPassword } from '../../../service/src/testing/people.ts';
import { startPanel } from '../../testing/browser.ts';

const panel = await startPanel({ isSetUp: false });
after(() => panel[Symbol.asyncDispose]());
const { credentials, errors, installation, open } = panel;

test('the first administrator is made in the browser with the code of the start', async () => {
  const page = await open();
  await page.goto('/');
  await page.waitForURL('**/setup');
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const submit = () => page.getByRole('button', { name: /^Make the administrator/ }).click();

  await field('Setup code').fill('AAAA-AAAA-AAAA-AAAA-AAAA');
  await field('Name').fill('Ada');
  await field('Email address').fill(credentials.email);
  await field('Password').fill('password');
  await page.getByText('Strength: much too easy to guess.').waitFor();
  await field('Password').fill(goodPassword);
  await page.getByText('Strength: very strong.').waitFor();
  await field('Password again').fill('another');
  await submit();
  await page.getByText('Is not the same as the password.').waitFor();

  await field('Password again').fill(goodPassword);
  await submit();
  await page.getByText('Is not the setup code.').waitFor();
  // The browser reports that nobody was signed in, and the wrong code.
  const others = errors.splice(0).filter((text) => !/status of (401|422)/.test(text));
  assert.deepEqual(others, []);

  const code = await readFile(join(installation.dataDir, 'setup-code'), 'utf8');
  await field('Setup code').fill(code.trim().toLowerCase());
  await submit();
  await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

test('afterwards, the page says that it is closed, and leads to the sign-in', async () => {
  const page = await open();
  await page.goto('/setup');
  await page.getByText('The first administrator cannot be made here').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in to Berth' }).waitFor();
});
