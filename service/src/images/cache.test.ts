import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { keptOrBuilt } from './cache.ts';

let folder: string;
let cache: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-image-cache-'));
  cache = join(folder, 'home', '.cache', 'images');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

let builds = 0;

/** Builds an image in a separate folder, which is emptied like that of a real build. */
async function image(recipe: string, { directory }: { directory?: string } = { directory: cache }) {
  const told: string[] = [];
  let wasBuilt = false;
  builds += 1;
  const work = join(folder, `work-${builds}`);
  const build = async () => {
    wasBuilt = true;
    mkdirSync(work);
    const built = { metadataPath: join(work, 'a.tar'), rootfsPath: join(work, 'b.tar') };
    writeFileSync(built.metadataPath, `metadata of ${recipe}`);
    writeFileSync(built.rootfsPath, `disk of ${recipe}`);
    return built;
  };
  const { metadataPath, rootfsPath } = await keptOrBuilt(directory, recipe, build, (text) =>
    told.push(text),
  );
  const content = [readFileSync(metadataPath, 'utf8'), readFileSync(rootfsPath, 'utf8')];
  assert.deepEqual(content, [`metadata of ${recipe}`, `disk of ${recipe}`]);
  await rm(work, { recursive: true, force: true });
  return { wasBuilt, told };
}

test('an image is built once, and then cached', async () => {
  assert.equal((await image('one')).wasBuilt, true);
  assert.equal((await image('one')).wasBuilt, false);
});

test('another recipe is another image', async () => {
  await image('one');
  assert.equal((await image('two')).wasBuilt, true);
  assert.equal((await image('one')).wasBuilt, false);
});

test('an image is built again after a week, or if the clock was set back', async () => {
  const day = 24 * 60 * 60;
  for (const days of [-8, 8]) {
    await image('one');
    const then = Date.now() / 1000 + days * day;
    utimesSync(join(cache, 'one'), then, then);
    assert.equal((await image('one')).wasBuilt, true, `${days} days`);
  }
});

test('a partial copy of a killed process is not used, and removed after a week', async () => {
  mkdirSync(join(cache, 'partial-x'), { recursive: true });
  await image('one');
  assert.deepEqual(readdirSync(cache).sort(), ['one', 'partial-x']);
  utimesSync(join(cache, 'partial-x'), 0, 0);
  await image('one');
  assert.deepEqual(readdirSync(cache), ['one']);
});

test('two concurrent builds both succeed, and one is cached', async () => {
  const both = await Promise.all([image('one'), image('one')]);
  assert.deepEqual(
    both.map(({ told }) => told),
    [[], []],
  );
  assert.deepEqual(readdirSync(cache), ['one']);
});

test('without a cache each image is built', async () => {
  for (let tries = 0; tries < 2; tries += 1) {
    assert.equal((await image('one', {})).wasBuilt, true);
  }
});

test('a cache that others can write to is not used, with a warning', async () => {
  await image('one');
  chmodSync(cache, 0o777);
  const { wasBuilt, told } = await image('one');
  assert.equal(wasBuilt, true);
  assert.match(told.join(), /others may write to it/);
});

test('if the cache can not be created, images are built nevertheless', async () => {
  writeFileSync(join(folder, 'file'), '');
  const { wasBuilt, told } = await image('one', { directory: join(folder, 'file', 'images') });
  assert.equal(wasBuilt, true);
  assert.match(told.join(), /no image is kept for the next time: .*ENOTDIR/);
});
