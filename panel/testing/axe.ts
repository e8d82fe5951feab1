import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { eventually } from '../../service/src/testing/until.ts';

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Waits for what fades in or out, whose colours count only at its end. What turns as long as something loads has none. */
const settle = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
  .map(({ finished }) => finished)).then(() => undefined)`;
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe-core finds on the page. */
async function look(page: Page): Promise<string[]> {
  await page.evaluate(settle);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(rules)} })`;
  const { violations }: AxeResults = await page.evaluate(`(() => { ${script}; return ${run}; })()`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
}

/** Fails if axe-core finds something on the page, in the light or in the dark colours. */
export async function requireAccessible(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    const found = await look(page);
    // A notification may begin to fade in while axe-core looks.
    const stays = found.length > 0 ? await look(page) : found;
    assert.deepEqual(stays, [], `${what}, ${colorScheme}`);
  }
}

const phone = { width: 375, height: 740 };

/** Fails if the page stays wider than a phone. */
export async function requireNoSideScroll(page: Page, what: string): Promise<void> {
  const usual = page.viewportSize();
  await page.setViewportSize(phone);
  await eventually(async () => {
    const width = await page.evaluate('document.scrollingElement.scrollWidth');
    assert.equal(width, phone.width, `${what}: the width on a phone`);
  });
  if (usual) await page.setViewportSize(usual);
}
