import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserOf } from './browser.ts';

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const headers = {
  'Firefox on Linux': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Chrome on Android': `Mozilla/5.0 (Linux; Android 10; K) ${chrome}`,
  'Edge on Windows': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/142.0.0.0`,
  'Safari on macOS':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.6 Safari/605.1.15',
  'Firefox on iOS':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 FxiOS/140.0 Safari/605.1.15',
  'curl/8.14.1': 'curl/8.14.1',
  unknown: '',
};

for (const [words, userAgent] of Object.entries(headers)) {
  test(`a session is shown with its browser: ${words}`, () => {
    assert.equal(browserOf(userAgent), words);
  });
}
