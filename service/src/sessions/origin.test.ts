import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPublicUrl } from './origin.ts';

for (const text of [
  'https://berth.example',
  'https://berth.example:8443/',
  'http://localhost:8080',
  'http://127.0.0.1:8080',
  'http://[::1]:8080',
]) {
  test(`the public URL can be ${text}`, () => {
    assert.equal(readPublicUrl(text)?.href, text.replace(/\/?$/, '/'));
  });
}

for (const text of [
  '',
  'berth.example',
  'http://berth.example',
  'http://localhost.evil.example',
  'https://berth.example/panel',
  'https://user:secret@berth.example',
  'ftp://localhost',
]) {
  test(`the public URL cannot be "${text}"`, () => {
    assert.equal(readPublicUrl(text), undefined);
  });
}
