import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../service/src/testing/until.ts';

const mostTabs = 80;

/** What has the focus if no corner of it and not its middle can be seen (WCAG 2.2, 2.4.11). */
const hiddenFocus = `(() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return null;
  const { left, top, width, height } = focused.getBoundingClientRect();
  const places = [[0.5, 0.5], [0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]];
  const isSeen = places.some(([x, y]) => {
    const shown = document.elementFromPoint(left + width * x, top + height * y);
    return shown && (focused.contains(shown) || shown.contains(focused) || shown.closest('label')?.control === focused);
  });
  return isSeen ? null : focused.outerHTML.slice(0, 300);
})()`;

/** Somebody who uses a page with the keyboard alone. */
export function keyboardOf(page: Page) {
  const press = (key: string) => page.keyboard.press(key);
  const isFocused = async (target: Locator) =>
    (await target.and(page.locator(':focus')).count()) > 0;

  /** Goes on with the key until the target has the focus. All that has it on the way can be seen. */
  async function tabTo(target: Locator, key = 'Tab'): Promise<void> {
    await target.waitFor();
    for (let tabs = 0; tabs < mostTabs; tabs += 1) {
      if (await isFocused(target)) return;
      await press(key);
      // A message may be above it for some seconds.
      await eventually(async () => assert.equal(await page.evaluate(hiddenFocus), null));
    }
    assert.fail(`${target} is not reached with ${key}.`);
  }

  return {
    ...{ press, isFocused, tabTo },
    type: (text: string) => page.keyboard.type(text),
    /** Goes to a field, and replaces what is in it. */
    async retype(target: Locator, text: string): Promise<void> {
      await tabTo(target);
      await press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    },
    /** Goes to a button or a link, and presses it. */
    async pressOn(target: Locator): Promise<void> {
      await tabTo(target);
      await press('Enter');
    },
    /** Waits until something has the focus by itself. */
    focused: (target: Locator) =>
      eventually(async () =>
        assert.equal(await isFocused(target), true, `${target} has the focus`),
      ),
  };
}
