import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, diskSizeOf } from './disk-size.ts';
import { parseGroups } from './groups.ts';
import { deviceOf } from './mount.ts';

const printed = `Qgroupid    Referenced    Exclusive  Max referenced  Max exclusive   Path 
--------    ----------    ---------  --------------  -------------   ---- 
0/5              16384        16384            none           none   <toplevel>
0/256         10469376     10469376        10485760           none   containers/berth_srv-1
0/257            16384        16384            none       10485760   containers/of my own
0/258                0            0            none           none   <stale>
0/259            16384        16384        20971520           none   containers/berth_srv-2
0/260            16384        16384            none           none   containers/berth_srv-3/rootfs/a
0/261                0            0        20971520           none   containers/berth_srv-2
1/100            16384        16384            none           none   <0 member qgroups>
`;

test('groups of subvolumes are parsed, others are skipped, and forged ones are not trusted', () => {
  assert.deepEqual(parseGroups(printed), [
    { path: 'containers/berth_srv-1', charged: 10_469_376, limit: 10_485_760 },
    { path: 'containers/of my own', charged: 16_384, limit: null },
    { path: 'containers/berth_srv-2', charged: 0, limit: null },
    { path: 'containers/berth_srv-3/rootfs/a', charged: 16_384, limit: null },
  ]);
});

const mountinfo = `24 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
52 24 0:48 / /pools/a rw,relatime - btrfs /dev/loop1 rw,subvolid=5
53 24 0:49 / /pools/with\\040space rw,relatime shared:2 master:1 - btrfs /dev/mapper/b rw
54 24 0:50 / /pools/under rw - btrfs /dev/loop2 rw
55 54 0:51 / /pools/under rw - tmpfs none rw
`;

test('the device of a mounted btrfs is found, and none below another file system', () => {
  const find = (path: string) => deviceOf(mountinfo, path);
  assert.equal(find('/pools/a'), '/dev/loop1');
  assert.equal(find('/pools/with space'), '/dev/mapper/b');
  for (const path of ['/', '/pools', '/pools/under']) assert.equal(find(path), undefined, path);
});

test('sizes are parsed as Incus parses them', () => {
  for (const [size, bytes] of [
    ['5GiB', 5 * 2 ** 30],
    ['500MB', 500e6],
    ['10kB', 10_000],
    ['1024', 1024],
    ['7B', 7],
    ['1TiB', 2 ** 40],
    ['', undefined],
    ['10%', undefined],
    ['1.5GiB', undefined],
  ] as const) {
    assert.equal(bytesOf(size), bytes, size);
  }
});

const name = 'srv-6f9619ff-8b86-4011-b42d-00c04fc964ff';
const server = { name, type: 'container', project: 'berth' } as const;
const devices = { root: { size: '1GiB' } };

test('only containers of servers that have a size have a limit', () => {
  const expected = { path: `containers/berth_${name}`, bytes: 2 ** 30 };
  assert.deepEqual(diskSizeOf({ ...server, devices }), expected);
  const inDefault = diskSizeOf({ ...server, project: 'default', devices });
  assert.equal(inDefault?.path, `containers/${name}`);
  assert.equal(diskSizeOf({ ...server, devices: {} }), undefined);
  assert.equal(diskSizeOf({ ...server, name: 'own', devices }), undefined);
  assert.equal(diskSizeOf({ ...server, type: 'virtual-machine', devices }), undefined);
});
