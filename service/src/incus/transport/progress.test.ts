import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseProgress } from './progress.ts';

describe('parseProgress', () => {
  it('reads percent and text', () => {
    assert.deepEqual(parseProgress({ download_progress: 'rootfs: 45% (10.00MB/s)' }), {
      fraction: 0.45,
      text: 'rootfs: 45% (10.00MB/s)',
    });
  });

  it('reads the unpacking of an image', () => {
    const metadata = { create_instance_from_image_unpack_progress: 'Unpacking image: 100%' };
    assert.equal(parseProgress(metadata)?.fraction, 1);
  });

  it('has no fraction if Incus reports only an amount or a speed', () => {
    const amount = { text: 'srv-1: 1.20GB (40.00MB/s)' };
    assert.deepEqual(parseProgress({ fs_progress: amount.text }), amount);
    const speed = { text: 'Unpack: 300.00MB/s' };
    assert.deepEqual(parseProgress({ unpack_progress: speed.text }), speed);
  });

  it('does not mistake the small metadata file for the image', () => {
    assert.deepEqual(parseProgress({ download_progress: 'metadata: 100% (5.00GB/s)' }), {
      text: 'metadata: 100% (5.00GB/s)',
    });
  });

  it('prefers the stage that Incus reports as the current one', () => {
    const metadata = {
      unpack_progress: 'Unpack: 7%',
      download_progress: 'rootfs: 100%',
      progress: { stage: 'unpack', percent: '7', speed: '0' },
    };
    assert.equal(parseProgress(metadata)?.fraction, 0.07);
  });

  it('is null without progress', () => {
    for (const metadata of [null, {}, { fingerprint: 'abc' }, { x_progress: 5 }, { progress: 1 }]) {
      assert.equal(parseProgress(metadata), null);
    }
  });

  it('never exceeds 100 %', () => {
    assert.equal(parseProgress({ download_progress: 'rootfs: 101%' })?.fraction, 1);
  });
});
