import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

test('each property test of the service has a fixed seed', () => {
  const directory = new URL('..', import.meta.url);
  const texts = globSync('**/*.test.ts', { cwd: directory }).map(
    (file) => [file, readFileSync(new URL(file, directory), 'utf8')] as const,
  );
  const ofProperties = texts.filter(([, text]) => /^import .* from 'fast-check'/m.test(text));
  assert.ok(ofProperties.length > 0);
  for (const [file, text] of ofProperties) {
    assert.match(text, /^import '(?:\.\.\/)+testing\/fixed-seed\.ts';$/m, file);
  }
});
