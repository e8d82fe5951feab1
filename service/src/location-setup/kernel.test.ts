import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelWarnings } from './kernel.ts';

test('a kernel whose bridges do not filter IPv6 causes a warning with the command that helps', () => {
  assert.deepEqual(
    kernelWarnings(() => '1\n'),
    [],
  );
  const [switchedOff = ''] = kernelWarnings(() => '0\n');
  assert.match(
    switchedOff,
    /refuses servers.*: sysctl -w net\.bridge\.bridge-nf-call-ip6tables=1$/,
  );
  const [missing = ''] = kernelWarnings(() => undefined);
  assert.match(missing, /: modprobe br_netfilter && sysctl -w /);
});
