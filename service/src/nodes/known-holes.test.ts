import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownHoles, vulnerabilityWarning } from './known-holes.ts';

/** The first id of each vulnerability of a release. */
const first = (release: string) =>
  knownHoles(release).map((sentence) => /\(((?:CVE|GHSA)-[\w-]+)/.exec(sentence)?.[1]);

test('a release has the vulnerabilities that later releases fix', () => {
  const [templates, fingerprints, images, backups] = [
    'CVE-2026-23953',
    'CVE-2026-33542',
    'CVE-2026-48749',
    'CVE-2026-63125',
  ];
  const cases: [string, unknown[]][] = [
    ['6.0.4', [templates, fingerprints, images, backups]],
    ['6.0.6', [fingerprints, images, backups]],
    // It is not known whether the 6.0 series has fixes for the others.
    ['6.0.7', [images, backups]],
    ['6.20', [templates, fingerprints, images, backups]],
    ['6.21', [fingerprints, images, backups]],
    ['6.23', [images, backups]],
    ['7.0', [images, backups]],
    ['7.0.1', [backups]],
    ['7.0.2', []],
    ['7.1', [images, backups]],
    ['7.2.0', [backups]],
    ['7.3', []],
    ['7.10', []],
    ['10.0', []],
  ];
  for (const [release, expected] of cases) assert.deepEqual(first(release), expected, release);
});

test('a vulnerability is described with the release, its effect, and the fixed releases', () => {
  assert.equal(
    knownHoles('6.0.5')[0],
    'Incus 6.0.5 has known vulnerabilities, unless its package fixes them: templates of an image, and settings of an instance, reach files of the host (CVE-2026-23953, CVE-2026-23954; fixed in 6.0.6 and 6.21.0).',
  );
  assert.deepEqual(knownHoles('of the future'), []);
});

test('the warning names the releases without known vulnerabilities', () => {
  assert.equal(
    vulnerabilityWarning('6.0.4'),
    'Incus 6.0.4 has known vulnerabilities, unless its package fixes them: update to 7.0.2 or 7.3.0, or newer. See "Known vulnerabilities of Incus" in docs/operations.md.',
  );
  assert.equal(vulnerabilityWarning('7.3.0'), undefined);
});
