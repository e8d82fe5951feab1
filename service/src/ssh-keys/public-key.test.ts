import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { newPublicKey, publicKeyOf } from '../testing/ssh-keys.ts';
import { readPublicKey, UnusableKey } from './public-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-public-keys-'));
after(() => rmSync(folder, { recursive: true }));

const keygen = (args: string[], input?: string) =>
  execFileSync('ssh-keygen', args, { encoding: 'utf8', stdio: 'pipe', ...(input && { input }) });

let made = 0;
/** A key pair of OpenSSH: the contents of its two files. */
function keyPair(type: string, bits?: number, ...more: string[]) {
  made += 1;
  const path = join(folder, String(made));
  const size = bits === undefined ? [] : ['-b', String(bits)];
  keygen(['-q', '-t', type, ...size, '-N', '', '-C', 'ada@laptop', ...more, '-f', path]);
  return { private: readFileSync(path, 'utf8'), public: readFileSync(`${path}.pub`, 'utf8') };
}

const ed25519 = keyPair('ed25519');
const rsa = keyPair('rsa', 2048);
const ecdsa = keyPair('ecdsa', 256);
const [type = '', base64 = ''] = ed25519.public.split(' ');
const bytes = Buffer.from(base64, 'base64');
const point = bytes.subarray(-32);
const [, ecdsaBase64 = ''] = ecdsa.public.split(' ');
const curvePoint = Buffer.from(ecdsaBase64, 'base64').subarray(-65);
const skEd25519 = publicKeyOf('sk-ssh-ed25519@openssh.com', point, 'ssh:');
const skEcdsa = publicKeyOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', curvePoint, 'ssh:');

describe('a public key', () => {
  const good: [what: string, text: string][] = [
    ['Ed25519', ed25519.public],
    ['RSA with 2048 bits', rsa.public],
    ['RSA with 3072 bits', keyPair('rsa', 3072).public],
    ['ECDSA on nistp256', ecdsa.public],
    ['ECDSA on nistp384', keyPair('ecdsa', 384).public],
    ['ECDSA on nistp521', keyPair('ecdsa', 521).public],
    ['Ed25519 on a security key', `${skEd25519} ada@key`],
    ['ECDSA on a security key', `${skEcdsa} ada@key`],
  ];

  for (const [what, text] of good) {
    it(`of ${what} has the fingerprint that OpenSSH shows`, () => {
      const [, fingerprint] = keygen(['-l', '-f', '-'], text).split(' ');
      assert.deepEqual(readPublicKey(text), { text: text.trim(), fingerprint });
    });
  }

  it('is stored as one line, however it is surrounded', () => {
    const line = `${type} ${base64}`;
    const given: [text: string, stored: string][] = [
      [`${line}\n`, line],
      [`${line} ada\r\n`, `${line} ada`],
      [`\ufeff\n  ${line}\t ada  lovelace  \n\n`, `${line} ada  lovelace`],
      [`${line} grüße, 世界 😀`, `${line} grüße, 世界 😀`],
      [`${line} my private key`, `${line} my private key`],
    ];
    for (const [text, stored] of given) assert.equal(readPublicKey(text).text, stored);
  });

  it('is the same whatever its comment is', () => {
    const prints = ['', ' one', ' two'].map(
      (end) => readPublicKey(`${type} ${base64}${end}`).fingerprint,
    );
    assert.equal(new Set(prints).size, 1);
    assert.notEqual(readPublicKey(newPublicKey()).fingerprint, prints[0]);
  });
});

describe('what is no usable public key', () => {
  const [modulusStart, odd, even] = [
    Buffer.from([0, 0x80]),
    Buffer.alloc(255, 1),
    Buffer.alloc(255, 2),
  ];
  const exponent = Buffer.from([1, 0, 1]);
  const modulus = Buffer.concat([modulusStart, odd]);
  const rsaOf = (e: Buffer, n: Buffer) => publicKeyOf('ssh-rsa', e, n);
  const ecdsaOf = (curve: string, q: Buffer) => publicKeyOf('ecdsa-sha2-nistp256', curve, q);
  const pem = keyPair('rsa', 2048, '-m', 'PEM').private;
  const pkcs8 = keyPair('ecdsa', 256, '-m', 'PKCS8').private;
  const inOneLine = ed25519.private.replaceAll('\n', ' ');
  const withoutArmour = ed25519.private.split('\n').slice(1, -2).join('\n');
  const pemAfterIt = `${type} ${base64} ${pem.split('\n').slice(1, -2).join('')}`;
  const putty = 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\nAAAA\n';
  const rfc4716 = keygen(['-e', '-m', 'RFC4716', '-f', join(folder, '1.pub')]);
  const asPkcs8 = keygen(['-e', '-m', 'PKCS8', '-f', join(folder, '2.pub')]);

  const bad: [what: string, text: string, says: RegExp][] = [
    ['a private key', ed25519.private, /^Is a private key.* \.pub\.$/],
    ['a private key in PEM', pem, /^Is a private key/],
    ['a private key in PKCS 8', pkcs8, /^Is a private key/],
    ['a private key of PuTTY', putty, /^Is a private key/],
    ['a private key in one line', inOneLine, /^Is a private key/],
    ['a private key without its first line', withoutArmour, /^Is a private key/],
    ['a private key after a public one', ed25519.public + ed25519.private, /^Is a private key/],
    ['a private key in PEM without its first line', pemAfterIt, /which may be a private key/],
    ['a private key with CRLF', ed25519.private.replaceAll('\n', '\r\n'), /^Is a private key/],
    ['RFC 4716', rfc4716, /ssh-keygen -i -f/],
    ['PKCS 8', asPkcs8, /ssh-keygen -i -m PKCS8/],
    ['several keys', ed25519.public + rsa.public, /^Must be a single key/],
    ['several keys with CRLF', `${type} ${base64}\r\n${rsa.public}`, /^Must be a single key/],
    ['several keys in one line', `${type} ${base64} ${rsa.public}`, /^Must be a single key/],
    ['a carriage return in the comment', `${type} ${base64} a\rb`, /^Must be a single key/],
    [
      'a wrapped key',
      `${type} ${base64.slice(0, 40)}\n${base64.slice(40)}`,
      /^Must be a single key/,
    ],
    ['options', `no-pty ${ed25519.public}`, /without options/],
    ['options with quotes', `command="echo a b",no-pty ${ed25519.public}`, /without options/],
    ['a line of known_hosts', `192.0.2.1 ${ed25519.public}`, /without options/],
    ['a comment', `# ${ed25519.public}`, /without options/],
    ['NUL in the comment', `${type} ${base64} a\0b`, /control characters/],
    ['an escape character', `${type} ${base64} \x1b[2J`, /control characters/],
    ['a turn of direction', `${type} ${base64} \u202egro`, /control characters/],
    ['DSA', publicKeyOf('ssh-dss', 'p', 'q', 'g', 'y'), /^DSA keys/],
    ['a certificate', publicKeyOf('ssh-ed25519-cert-v01@openssh.com', 'x'), /^Is a certificate/],
    ['an unknown type', publicKeyOf('ssh-ed448', point), /^Must be a public key .*ssh-ed25519/],
    ['a type in capitals', ed25519.public.replace('ssh', 'SSH'), /^Must be a public key/],
    ['base64 alone', base64, /^Must be a public key/],
    ['a type alone', 'ssh-ed25519', /^Must be a public key/],
    ['a text', 'hello', /^Must be a public key/],
    ['blanks', ' \n ', /^Must be a public key/],
    [
      'RSA with 1024 bits',
      keyPair('rsa', 1024).public,
      /at least 2048 bits\. This RSA key has 1024\./,
    ],
    [
      'RSA with 2047 bits',
      rsaOf(exponent, Buffer.concat([Buffer.from([0x40]), odd])),
      /has 2047\./,
    ],
    ['RSA with 16385 bits', rsaOf(exponent, Buffer.alloc(2049, 1)), /at most 16384 bits/],
    ['RSA with an even exponent', rsaOf(Buffer.from([2]), modulus), /incomplete or damaged/],
    ['RSA with the exponent 1', rsaOf(Buffer.from([1]), modulus), /incomplete or damaged/],
    ['RSA without an exponent', rsaOf(Buffer.alloc(0), modulus), /incomplete or damaged/],
    ['RSA with an even modulus', rsaOf(exponent, Buffer.concat([modulusStart, even])), /damaged/],
    ['RSA with a negative modulus', rsaOf(exponent, modulus.subarray(1)), /damaged/],
    [
      'RSA with a longer form',
      rsaOf(exponent, Buffer.concat([Buffer.alloc(1), modulus])),
      /damaged/,
    ],
    ['a point that is too short', publicKeyOf(type, point.subarray(1)), /damaged/],
    ['a point that is too long', publicKeyOf(type, Buffer.concat([point, point])), /damaged/],
    ['no point', publicKeyOf(type), /damaged/],
    ['a field too many', publicKeyOf(type, point, 'more'), /damaged/],
    [
      'bytes after the key',
      `${type} ${Buffer.concat([bytes, point]).toString('base64')}`,
      /damaged/,
    ],
    ['a cut-off key', `${type} ${bytes.subarray(0, -4).toString('base64')}`, /damaged/],
    ['a length beyond the end', `${type} ${Buffer.alloc(8, 0xff).toString('base64')}`, /damaged/],
    ['another type inside', publicKeyOf('ssh-rsa', point).replace('ssh-rsa', type), /damaged/],
    ['a point off the curve', ecdsaOf('nistp256', Buffer.alloc(65, 4)), /damaged/],
    ['a compressed point', ecdsaOf('nistp256', curvePoint.subarray(0, 33)), /damaged/],
    ['another curve inside', ecdsaOf('nistp384', curvePoint), /damaged/],
    [
      'a security key without application',
      skEd25519.replace(/ .*/, ` ${withoutLast(skEd25519, 8)}`),
      /damaged/,
    ],
    [
      'base64 without padding',
      `${type} ${bytes.subarray(0, 50).toString('base64')}`.replace(/=+$/, ''),
      /damaged/,
    ],
    ['other characters in base64', `${type} ${base64.replace('I', '*')}`, /damaged/],
    ['base64 for URLs', `${type} ${base64.slice(0, -1)}_`, /damaged/],
    ['base64 with garbage', `${type} ${base64}!!`, /damaged/],
  ];

  for (const [what, text, says] of bad) {
    it(what, () => {
      assert.throws(
        () => readPublicKey(text),
        (error) => {
          assert.ok(error instanceof UnusableKey, String(error));
          assert.match(error.message, says);
          return true;
        },
      );
    });
  }

  it('is not repeated by any refusal', () => {
    for (const [what, text] of bad) {
      const words = text.split(/\s+/).filter((word) => word.length > 30);
      const said = sentenceOf(text);
      for (const word of words) assert.ok(!said.includes(word), what);
    }
  });
});

function withoutLast(key: string, count: number): string {
  const [, base64 = ''] = key.split(' ');
  return Buffer.from(base64, 'base64').subarray(0, -count).toString('base64');
}

function sentenceOf(text: string): string {
  try {
    readPublicKey(text);
    return '';
  } catch (error) {
    return String(error);
  }
}
