import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSafeRoute } from './remote.ts';

for (const url of [
  'postgresql://berth@/berth?host=/var/run/postgresql',
  'postgresql://berth@%2Fvar%2Frun%2Fpostgresql/berth',
  'postgresql://berth:p%40ss@localhost/berth',
  'postgresql://berth@LOCALHOST:5433/berth',
  'postgresql://berth@127.0.0.1/berth?sslmode=disable',
  'postgresql://berth@127.8.0.1/berth',
  'postgres://berth@[::1]:5432/berth',
  'postgresql://berth@db.example.com/berth?sslmode=verify-full',
  'postgresql://berth@db.example.com/berth?sslmode=disable&sslmode=verify-full',
  'postgresql://berth@db.example.com/berth?uselibpqcompat=true&sslmode=verify-full',
  'postgresql://berth@db.example.com/berth?sslrootcert=/not/there.pem&sslmode=verify-full',
]) {
  test(`the route to ${url} is safe`, () => assert.equal(isSafeRoute(url, {}), true));
}

for (const url of [
  'postgresql://berth@db.example.com/berth',
  'postgresql://berth@192.0.2.7/berth',
  'postgresql://berth@[2001:db8::1]/berth',
  'postgresql://berth@localhost.example.com/berth',
  'postgresql://berth@127.0.0.1.example.com/berth',
  // The host in the query has precedence over that in its usual place.
  'postgresql://berth@localhost/berth?host=db.example.com',
  // The certificate is not verified, or its host name is not.
  'postgresql://berth@db.example.com/berth?sslmode=require',
  'postgresql://berth@db.example.com/berth?sslmode=prefer',
  'postgresql://berth@db.example.com/berth?sslmode=no-verify',
  'postgresql://berth@db.example.com/berth?sslmode=verify-ca',
  'postgresql://berth@db.example.com/berth?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=/x',
  'postgresql://berth@db.example.com/berth?ssl=true',
  'postgresql://berth@db.example.com/berth?ssl=no-verify',
  'postgresql://berth@db.example.com/berth?sslmode=verify-full&sslmode=require',
  'postgresql://berth@db.example.com/berth?SSLMODE=verify-full',
  'postgresql://berth@db.example.com/berth?sslmode=VERIFY-FULL',
  'postgresql://berth@db.example.com/berth#?sslmode=verify-full',
]) {
  test(`the route to ${url} is not safe`, () => assert.equal(isSafeRoute(url, {}), false));
}

test('without a host in the URL, that of the environment is used, or else this machine', () => {
  const url = 'postgresql://berth@/berth';
  assert.equal(isSafeRoute(url, {}), true);
  assert.equal(isSafeRoute(url, { PGHOST: '/run/postgresql' }), true);
  assert.equal(isSafeRoute(url, { PGHOST: 'db.example.com' }), false);
});
