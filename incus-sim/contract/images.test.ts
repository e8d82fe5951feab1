import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ImageFiles } from '../../service/src/incus/image-upload.ts';
import { imageFingerprint } from '../../service/src/incus/images.ts';
import { failsWith } from './assertions.ts';
import { settled } from './guests.ts';
import { cleanUpWith, newName, temporaryDirectory, useTarget } from './target.ts';

const target = useTarget();

/** The smallest split image that Incus accepts. */
function tinyImage(): ImageFiles {
  const folder = temporaryDirectory();
  const path = (name: string) => join(folder, name);
  writeFileSync(path('metadata.yaml'), 'architecture: x86_64\ncreation_date: 1\n');
  mkdirSync(path('root'));
  writeFileSync(path('root/unique'), randomUUID());
  execFileSync('tar', ['-cf', path('metadata.tar'), '-C', folder, 'metadata.yaml']);
  execFileSync('tar', ['-cf', path('rootfs.tar'), '-C', path('root'), '.']);
  return { type: 'container', metadataPath: path('metadata.tar'), rootfsPath: path('rootfs.tar') };
}

async function importImage(files: ImageFiles): Promise<string> {
  const { client } = target;
  const operation = await settled(client, client.images.import(files));
  const fingerprint = imageFingerprint(operation) ?? '';
  cleanUpWith(async () => {
    if (await client.images.get(fingerprint)) {
      await settled(client, client.images.delete(fingerprint));
    }
  });
  return fingerprint;
}

describe('an image', () => {
  it('is imported, and identified by the hash of its files', async () => {
    const { client } = target;
    const files = tinyImage();
    const counts: number[] = [];
    const again = () => client.images.import(files, { onProgress: (sent) => counts.push(sent) });
    const fingerprint = await importImage(files);
    const metadata = readFileSync(files.metadataPath);
    const rootfs = readFileSync(files.rootfsPath);
    const hash = createHash('sha256').update(metadata).update(rootfs).digest('hex');
    assert.equal(fingerprint, hash);
    const image = await client.images.get(fingerprint);
    assert.equal(image?.type, 'container');
    assert.equal(image?.size, metadata.length + rootfs.length);
    assert.equal(image?.architecture, 'x86_64');
    assert.deepEqual(image?.aliases, []);
    const twice = settled(client, again());
    await assert.rejects(twice, failsWith('already_exists', /same fingerprint already exists/));
    assert.ok((counts.at(-1) ?? 0) > rootfs.length);
  });

  it('has aliases, which are deleted with it', async () => {
    const { client } = target;
    const fingerprint = await importImage(tinyImage());
    const alias = newName('alias');
    assert.equal(await client.images.getAlias(alias), null);
    await client.images.createAlias(alias, fingerprint);
    const found = await client.images.getAlias(alias);
    assert.deepEqual([found?.name, found?.target, found?.type], [alias, fingerprint, 'container']);
    const names = (await client.images.get(fingerprint))?.aliases.map(({ name }) => name);
    assert.deepEqual(names, [alias]);
    const taken = client.images.createAlias(alias, fingerprint);
    await assert.rejects(taken, failsWith('already_exists', /already exists/));
    await settled(client, client.images.delete(fingerprint));
    assert.equal(await client.images.get(fingerprint), null);
    assert.equal(await client.images.getAlias(alias), null);
  });

  it('can lose an alias', async () => {
    const { client, administrator, image } = target;
    const alias = newName('alias');
    await client.images.createAlias(alias, image);
    await administrator.deleteAlias(alias);
    assert.equal(await client.images.getAlias(alias), null);
    assert.ok(await client.images.get(image));
  });

  it('that does not exist is null, or not found', async () => {
    const { images } = target.client;
    const unknown = 'ab'.repeat(32);
    assert.equal(await images.get(unknown), null);
    await assert.rejects(images.delete(unknown), failsWith('not_found'));
    await assert.rejects(images.createAlias(newName('alias'), unknown), failsWith('not_found'));
  });

  it('can not be imported from an unreachable server, and the error has the name of that server', async () => {
    const { client } = target;
    const image = { server: 'https://127.0.0.1:1', alias: 'debian/12', type: 'container' } as const;
    await assert.rejects(settled(client, client.images.copy(image)), (error: unknown) => {
      failsWith('unreachable', /Failed getting remote image info/)(error);
      return (error as { host?: string }).host === '127.0.0.1:1';
    });
  });
});
