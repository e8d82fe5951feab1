import { createHash, createPublicKey } from 'node:crypto';
import { linePattern } from '@berth/contract/text';
import { bitsOf, type Fields, fieldsOf, Malformed } from './wire.ts';

/** A public key of SSH that was checked. */
export interface PublicKey {
  /** As a line of `authorized_keys`: its type, its base64 text and its comment, if it has one. */
  text: string;
  /** As OpenSSH shows it: `SHA256:` and 43 characters. */
  fingerprint: string;
}

/** Why a text is not accepted, as a sentence that repeats nothing of the text, which may be a secret. */
export class UnusableKey extends Error {
  override name = 'UnusableKey';
}

/** Of RSA keys. OpenSSH reads no longer ones. */
const [fewestBits, mostBits] = [2048, 16384];

/** The types, each with what checks the fields after its name. */
const types = new Map<string, (fields: Fields) => void>([
  ['ssh-ed25519', ed25519],
  ['ssh-rsa', rsa],
  ['ecdsa-sha2-nistp256', ecdsa('nistp256', 'P-256', 32)],
  ['ecdsa-sha2-nistp384', ecdsa('nistp384', 'P-384', 48)],
  ['ecdsa-sha2-nistp521', ecdsa('nistp521', 'P-521', 66)],
  ['sk-ssh-ed25519@openssh.com', onSecurityKey(ed25519)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', onSecurityKey(ecdsa('nistp256', 'P-256', 32))],
]);

/**
 * Reads the content of a `.pub` file: one line with a type, base64 text and optionally a comment. Spaces and line breaks
 * around it are removed. Throws `UnusableKey`.
 */
export function readPublicKey(given: string): PublicKey {
  const line = given.trim();
  refuseOtherFormats(line);
  const [, type = '', base64 = '', comment = ''] =
    /^(\S+)[ \t]+(\S+)(?:[ \t]+(.+))?$/.exec(line) ?? [];
  const check = types.get(type);
  if (!check) throw new UnusableKey(whyNoType(line));
  if (!new RegExp(linePattern, 'u').test(comment)) throw new UnusableKey(noControlCharacters);
  if (looksLikePem.test(comment)) throw new UnusableKey(hasPem);
  if (looksLikeKey.test(comment)) throw new UnusableKey(severalKeys);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) throw new UnusableKey(damaged);
  checkBytes(bytes, type, check);
  const text = [type, base64, comment].filter((part) => part !== '').join(' ');
  const hash = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '');
  return { text, fingerprint: `SHA256:${hash}` };
}

const severalKeys = 'Must be a single key, on one line. Create an SSH key for each of them.';
const noControlCharacters = 'Must not contain control characters.';
const damaged = 'Is incomplete or damaged. Copy the whole line again.';
/** The base64 text of a public key begins with the length of the name of its type. */
const looksLikeKey = /(?:^|\s)AAAA[A-Za-z0-9+/]{30}/;
/** The base64 text of PEM without its first line begins with a sequence of at least 256 bytes. */
const looksLikePem = /(?:^|\s)MII[A-Za-z0-9+/]{50}/;
const hasPem =
  'Must not have a key in PEM after it, which may be a private key. It was not stored. Send only the line of the file ' +
  'whose name ends in .pub.';

/** What people paste by mistake. */
function refuseOtherFormats(line: string): void {
  // OpenSSH and PEM, PuTTY, and the base64 text of OpenSSH without its first line.
  if (
    /BEGIN [A-Z0-9 ]*PRIVATE KEY|PRIVATE KEY-|PuTTY-User-Key-File|b3BlbnNzaC1rZXktdjE/.test(line)
  ) {
    throw new UnusableKey(
      'Is a private key, which must never leave your machine. It was not stored. Send the public key instead, which is ' +
        'usually in the file whose name ends in .pub.',
    );
  }
  if (/BEGIN (?:SSH2 |RSA )?PUBLIC KEY/.test(line)) {
    throw new UnusableKey(
      'Must be in the format of OpenSSH. Convert the key with ssh-keygen -i -f FILE; if it begins with "BEGIN PUBLIC KEY", ' +
        'with ssh-keygen -i -m PKCS8 -f FILE.',
    );
  }
  if (/[\r\n]/.test(line)) throw new UnusableKey(severalKeys);
}

function whyNoType(line: string): string {
  if (/^ssh-dss\s/.test(line))
    return 'DSA keys are not accepted, because OpenSSH no longer uses them.';
  if (/^\S+-cert-v\d+@openssh\.com\s/.test(line))
    return 'Is a certificate. Send the public key that it is for.';
  const isKnown = [...types.keys()].some((type) => line.includes(`${type} `));
  if (isKnown)
    return 'Must begin with the type of the key, such as ssh-ed25519, without options before it.';
  return `Must be a public key in the format of OpenSSH, whose type is one of ${[...types.keys()].join(', ')}.`;
}

function checkBytes(bytes: Buffer, type: string, check: (fields: Fields) => void): void {
  try {
    const fields = fieldsOf(bytes);
    if (fields.string().toString('latin1') !== type) throw new Malformed('its types differ');
    check(fields);
    fields.end();
  } catch (error) {
    if (error instanceof Malformed) throw new UnusableKey(damaged, { cause: error });
    throw error;
  }
}

/** RFC 8709, section 4. */
function ed25519(fields: Fields): void {
  if (fields.string().length !== 32) throw new Malformed('its point has another length');
}

/** RFC 4253, section 6.6. */
function rsa(fields: Fields): void {
  const exponent = fields.positive();
  const modulus = fields.positive();
  if (!isOdd(exponent) || bitsOf(exponent) < 2 || !isOdd(modulus)) {
    throw new Malformed('no RSA key has these numbers');
  }
  const bits = bitsOf(modulus);
  if (bits < fewestBits)
    throw new UnusableKey(`Must have at least ${fewestBits} bits. This RSA key has ${bits}.`);
  if (bits > mostBits)
    throw new UnusableKey(`Must have at most ${mostBits} bits. This RSA key has ${bits}.`);
}

const isOdd = (number: Buffer) => ((number.at(-1) ?? 0) & 1) === 1;

/** RFC 5656, section 3.1. The point is uncompressed (SEC 1, section 2.3.3), as OpenSSH requires. */
function ecdsa(curve: string, crv: string, bytes: number): (fields: Fields) => void {
  return (fields) => {
    if (fields.string().toString('latin1') !== curve) throw new Malformed('its curves differ');
    const point = fields.string();
    if (point.length !== 1 + 2 * bytes || point[0] !== 4)
      throw new Malformed('its point has another form');
    const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)];
    const key = { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') };
    try {
      createPublicKey({ key, format: 'jwk' });
    } catch (cause) {
      throw new Malformed('its point is not on the curve', { cause });
    }
  };
}

/** OpenSSH, PROTOCOL.u2f: the application that the key is for follows. */
function onSecurityKey(key: (fields: Fields) => void): (fields: Fields) => void {
  return (fields) => {
    key(fields);
    if (fields.string().length === 0) throw new Malformed('its application is missing');
  };
}
