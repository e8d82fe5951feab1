import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeUserData } from './user-data.ts';

const config = '#cloud-config\npackages: [nginx]\n';
const packed = (content: string | Buffer) => gzipSync(content).toString('base64');

function contentOf(text: string): string {
  const decoded = decodeUserData(text);
  assert.ok('content' in decoded, JSON.stringify(decoded));
  return decoded.content.toString();
}

function errorOf(text: string): string {
  const decoded = decodeUserData(text);
  assert.ok('error' in decoded, 'it is accepted');
  return decoded.error;
}

test('each format that cloud-init recognises is taken as it is', () => {
  for (const text of [
    config,
    '#cloud-config\r\npackages: [nginx]\r\n',
    '#cloud-config-archive\n- type: text/cloud-config\n',
    '#cloud-config-jsonp\n[]\n',
    '#CLOUD-CONFIG\n{}\n',
    '\n  #!/bin/sh\necho hi\n',
    '#!/usr/bin/env python3\n',
    '#include\nhttps://example.com/a\n',
    '#include-once\nhttps://example.com/a\n',
    '#cloud-boothook\n#!/bin/sh\n',
    '#part-handler\n',
    '## template: jinja\n#cloud-config\n',
    'Content-Type: multipart/mixed; boundary="b"\nMIME-Version: 1.0\n\n--b--\n',
    'mime-version: 1.0\r\ncontent-type: text/cloud-config\r\n\r\n{}\r\n',
    '#!/bin/sh\n# grüße, 世界 😀\n',
  ]) {
    assert.equal(contentOf(text), text);
  }
});

test('gzip in base64 is unpacked, however its lines are broken', () => {
  const lines = packed(config).replaceAll(/.{20}/g, '$&\r\n');
  for (const text of [packed(config), lines, `\n ${packed(config)}\n`]) {
    assert.equal(contentOf(text), config);
  }
  const binary = Buffer.concat([Buffer.from('#!/bin/sh\n'), Buffer.from([0, 0xff, 0xfe])]);
  const decoded = decodeUserData(packed(binary));
  assert.deepEqual('content' in decoded && decoded.content, binary);
});

test('what cloud-init would ignore is refused with the formats that it knows', () => {
  for (const text of [
    'packages: [nginx]\n',
    '# cloud-config\n',
    '\ufeff#cloud-config\n',
    'echo hi',
    '{"packages": ["nginx"]}',
    'Content-Type: multipart/mixed; boundary="b"\n\n--b--\n',
    '   \n',
    `${' '.repeat(5000)}x`,
    packed('packages: [nginx]\n'),
    packed(''),
  ]) {
    assert.match(errorOf(text), /#cloud-config, #!.*MIME-Version.*gzip of one of these/);
  }
});

test('text in base64 is refused with the advice to send the text', () => {
  const encoded = Buffer.from(config).toString('base64');
  assert.match(errorOf(encoded), /Send the text itself/);
});

test('gzip that is broken is refused with the way to make it', () => {
  const text = packed(config);
  for (const broken of [text.slice(0, -1), `${text}=`, text.replace('H4sI', 'H4sI*'), 'H4sI====']) {
    assert.match(errorOf(broken), /not valid base64.*gzip -c FILE \| base64/);
  }
  const bytes = gzipSync(config);
  const spoilt = Buffer.from(bytes);
  spoilt.writeUInt8((bytes.at(-5) ?? 0) ^ 1, bytes.length - 5);
  for (const one of [bytes.subarray(0, -1), bytes.subarray(0, 4), spoilt]) {
    assert.match(errorOf(one.toString('base64')), /broken or incomplete.*gzip -c FILE \| base64/);
  }
});

test('gzip that unpacks to more than 1 MiB is refused', () => {
  const most = config.padEnd(2 ** 20, '#');
  assert.equal(contentOf(packed(most)), most);
  assert.match(errorOf(packed(`${most}#`)), /more than 1 MiB/);
  assert.match(errorOf(packed(Buffer.alloc(2 ** 25))), /more than 1 MiB/);
});
