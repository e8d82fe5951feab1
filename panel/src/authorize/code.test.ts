import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAuthorizeSearch, readCode } from './code.ts';

test('a code is read as people type it', () => {
  for (const typed of ['WDJB-MJHT', 'wdjbmjht', ' wdjb mjht ']) {
    assert.equal(readCode(typed), 'WDJB-MJHT');
  }
  for (const typed of ['', 'WDJB', 'WDJB-MJH1', 'WDJB-MJHT-X', 7, undefined]) {
    assert.equal(readCode(typed), undefined);
  }
});

test('the URL has a code, or none', () => {
  assert.deepEqual(readAuthorizeSearch({ code: 'wdjb-mjht', other: 1 }), { code: 'WDJB-MJHT' });
  assert.deepEqual(readAuthorizeSearch({ code: '../v1' }), {});
});
