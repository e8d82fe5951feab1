import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confine, deniedCalls, isConfined, isToBeConfined } from './confinement.ts';

const deny = 'security.syscalls.deny';
const ofRun = (name: string) => ({ 'volatile.eth0.host_name': name });

const seen = (status: string, config: Record<string, string>, type = 'container') =>
  ({ type, status, config }) as Parameters<typeof isConfined>[0];

/** The configuration in Incus after a change, in which an empty value removes a key. */
function changed(instance: ReturnType<typeof seen>) {
  const config = Object.entries({ ...instance.config, ...confine(instance).config });
  return { ...instance, config: Object.fromEntries(config.filter(([, value]) => value !== '')) };
}

test('the calls that create subvolumes are denied, whatever the upper half of the argument', () => {
  assert.deepEqual(deniedCalls[deny].split('\n'), [
    'ioctl errno 25 [1,0x50009401,SCMP_CMP_MASKED_EQ,0xffffffff]',
    'ioctl errno 25 [1,0x5000940e,SCMP_CMP_MASKED_EQ,0xffffffff]',
    'ioctl errno 25 [1,0x50009417,SCMP_CMP_MASKED_EQ,0xffffffff]',
    'ioctl errno 25 [1,0x50009418,SCMP_CMP_MASKED_EQ,0xffffffff]',
  ]);
  const [first = ''] = deniedCalls[deny].split('\n');
  assert.equal(isConfined(seen('Running', deniedCalls)), true);
  assert.equal(isConfined(seen('Running', { [deny]: first })), false, 'all of them are needed');
});

test('a running instance is confined from its next start on', () => {
  const running = changed(seen('Running', ofRun('veth1')));
  assert.equal(running.config[deny], deniedCalls[deny]);
  assert.equal(isToBeConfined(running), false, 'no other key is changed');
  assert.equal(isConfined(running), false);
  assert.deepEqual(changed(running), running, 'repeating it changes nothing');
  const restarted = { ...running, config: { ...running.config, ...ofRun('veth2') } };
  assert.equal(isConfined(restarted), true);
});

test('a stopped instance is confined when it starts, whatever its interface', () => {
  const running = changed(seen('Running', ofRun('fixed')));
  const stopped = { ...running, status: 'Stopped' };
  assert.equal(isConfined(stopped), true);
  assert.equal(isToBeConfined(stopped), true, 'the mark of its last run is removed');
  assert.equal(isConfined({ ...changed(stopped), status: 'Running' }), true);
  assert.equal(isConfined(changed(seen('Stopped', {}))), true);
});

test('calls that an administrator denies stay denied', () => {
  const { config } = changed(seen('Stopped', { [deny]: 'keyctl errno 38' }));
  assert.equal(config[deny], `keyctl errno 38\n${deniedCalls[deny]}`);
});

test('a policy of an administrator is not changed, and does not count as ours', () => {
  for (const own of ['raw.seccomp', 'security.syscalls.allow']) {
    const instance = seen('Running', { [own]: '2', ...ofRun('veth1') });
    assert.equal(isToBeConfined(instance), false);
    assert.deepEqual(confine(instance), {});
    assert.equal(isConfined(instance), false);
  }
});

test('a virtual machine needs no confinement, since it has its own kernel', () => {
  const machine = seen('Running', {}, 'virtual-machine');
  assert.equal(isConfined(machine), true);
  assert.deepEqual(confine(machine), {});
});
