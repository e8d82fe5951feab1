import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '../audit/entry-queries.ts';
import { refused } from '../testing/refused.ts';
import { callerOf, historyOf, kindOf, merged } from './kinds.ts';

const ofToken: AuditEntry = { ...refused, target: { kind: 'server', id: 3 } };
const ofUser: AuditEntry = { ...ofToken, tokenId: null, userId: 4 };
const ofStranger: AuditEntry = {
  ...ofToken,
  projectId: null,
  tokenId: null,
  action: 'session_create',
  target: { kind: 'user', id: 7 },
  code: 'sign_in_failed',
};

test('the kind of a known caller has everything except the request, its target and the address', () => {
  for (const entry of [ofToken, ofUser]) {
    const { requestId: _, target: __, address: ___, ...alike } = entry;
    assert.deepEqual(JSON.parse(kindOf(entry)), alike);
    const other = { target: null, details: { name: 'x' }, address: null, requestId: 'two' };
    assert.equal(kindOf({ ...entry, ...other }), kindOf(entry));
  }
});

test('the kind of an unknown caller has the attempted user and the network', () => {
  const { requestId: _, address: __, ...alike } = ofStranger;
  assert.deepEqual(JSON.parse(kindOf(ofStranger)), { ...alike, network: '192.0.2.1' });
  const from = (address: string | null) => JSON.parse(kindOf({ ...ofStranger, address })).network;
  assert.equal(from('2001:db8:1:2:3::4'), '2001:db8:1:2::/64');
  assert.equal(from(null), 'unknown');
});

test('a caller is a token, or else a user, or else an unknown caller that attempted to be a user', () => {
  assert.equal(callerOf(ofToken), 'token 2');
  assert.equal(callerOf({ ...ofToken, userId: 4 }), 'token 2');
  assert.equal(callerOf(ofUser), 'user 4');
  assert.equal(callerOf(ofStranger), 'strangers as user 7');
  assert.equal(callerOf({ ...ofStranger, target: null }), 'strangers as nobody');
});

test('a refusal belongs to its project, or else to its caller; those of unknown callers share a history', () => {
  assert.equal(historyOf(ofToken), 'project 1');
  assert.equal(historyOf({ ...ofStranger, projectId: 1 }), 'project 1');
  assert.equal(historyOf({ ...ofToken, projectId: null }), 'token 2');
  assert.equal(historyOf({ ...ofUser, projectId: null }), 'user 4');
  assert.equal(historyOf(ofStranger), 'strangers');
});

test('entries that are alike are merged into the last one', () => {
  const last = { ...ofToken, address: '192.0.2.2', requestId: 'two' };
  assert.deepEqual(merged(ofToken, last), last);
  const users = { ...ofUser, address: '192.0.2.2', requestId: 'two' };
  assert.deepEqual(merged(ofUser, users), users);
  const aimless = { ...ofToken, target: null };
  assert.deepEqual(merged(aimless, { ...aimless, requestId: 'two' }), {
    ...aimless,
    requestId: 'two',
  });
});

test('values that merged entries do not have in common are omitted', () => {
  const differing: [other: Partial<AuditEntry>, left: Partial<AuditEntry>][] = [
    [{ projectId: 9 }, { projectId: null }],
    // The address of one caller is not shown as that of another.
    [{ tokenId: 9 }, { tokenId: null, address: null }],
    [{ userId: 9 }, { userId: null, address: null }],
    [{ target: { kind: 'server', id: 9 } }, { target: null }],
    [{ target: { kind: 'project', id: 3 } }, { target: null }],
    [{ target: null }, { target: null }],
    [{ code: 'forbidden' }, { code: undefined }],
  ];
  for (const [other, left] of differing) {
    const changed = { ...ofToken, ...other, requestId: 'two' };
    assert.deepEqual(merged(ofToken, changed), { ...changed, ...left }, JSON.stringify(other));
  }
});

test('one entry of an administrator makes all of them an administrator’s', () => {
  const asAdministrator = { ...ofToken, byAdministrator: true };
  for (const [one, other, expected] of [
    [asAdministrator, ofToken, true],
    [ofToken, asAdministrator, true],
    [asAdministrator, asAdministrator, true],
    [ofToken, ofToken, false],
  ] as const) {
    assert.equal(merged(one, other).byAdministrator, expected);
  }
});
