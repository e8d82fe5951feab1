import { randomBytes } from 'node:crypto';
import { createSHA512, type IHasher } from 'hash-wasm';

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const saltCharacters = 16;
/** The default of the scheme, which is omitted from the hash. */
const rounds = 5000;
const digestBytes = 64;

/**
 * A password as stored in `/etc/shadow`: `$6$<salt>$<hash>` ("Unix crypt using SHA-256 and
 * SHA-512", U. Drepper, version 0.6, whose steps are numbered below). Takes some milliseconds.
 */
export async function hashPassword(password: string, salt = randomSalt()): Promise<string> {
  const key = Buffer.from(password, 'utf8');
  const salted = Buffer.from(salt, 'ascii');
  // Its rounds take half as long as with `node:crypto`, whose calls cost more than the hashing of such short inputs.
  const sha512 = withSha512(await createSHA512());
  const start = startDigest(sha512, key, salted);
  // 13–20: P and S have the lengths of the password and the salt.
  const keyBytes = stretched(sha512(...Array<Buffer>(key.length).fill(key)), key.length);
  const saltTimes = 16 + (start[0] ?? 0);
  const saltBytes = stretched(sha512(...Array<Buffer>(saltTimes).fill(salted)), salted.length);
  return `$6$${salt}$${encode(digestAfterRounds(sha512, start, keyBytes, saltBytes))}`;
}

/** Hashes the parts one after the other. */
type Sha512 = (...parts: Uint8Array[]) => Uint8Array;

function withSha512(hasher: IHasher): Sha512 {
  return (...parts) => {
    hasher.init();
    for (const part of parts) hasher.update(part);
    return hasher.digest('binary');
  };
}

/** The inputs of the rounds repeat, because a round differs by its remainders of 2, 3 and 7. */
const differentRounds = 2 * 3 * 7;

/** 21. One call per round, on a buffer that is used again, takes a third less time than a call per part. */
function digestAfterRounds(sha512: Sha512, start: Uint8Array, key: Buffer, salt: Buffer) {
  const inputs = Array.from({ length: differentRounds }, (_, round) => inputOf(round, key, salt));
  let digest = start;
  for (let round = 0; round < rounds; round += 1) {
    const { bytes, digestAt } = inputs[round % differentRounds] as RoundInput;
    bytes.set(digest, digestAt);
    digest = sha512(bytes);
  }
  return digest;
}

/** What a round hashes, with room for the digest of the previous round. */
interface RoundInput {
  bytes: Buffer;
  digestAt: number;
}

function inputOf(round: number, key: Buffer, salt: Buffer): RoundInput {
  const between = [...(round % 3 === 0 ? [] : [salt]), ...(round % 7 === 0 ? [] : [key])];
  const room = Buffer.alloc(digestBytes);
  const isLast = round % 2 === 1;
  const bytes = Buffer.concat(isLast ? [key, ...between, room] : [room, ...between, key]);
  return { bytes, digestAt: isLast ? bytes.length - digestBytes : 0 };
}

/** 1–12 */
function startDigest(sha512: Sha512, key: Buffer, salt: Buffer): Uint8Array {
  const other = sha512(key, salt, key);
  const parts: Uint8Array[] = [key, salt, stretched(other, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push(bits % 2 === 1 ? other : key);
  return sha512(...parts);
}

/** Repeats the bytes up to a length. */
function stretched(digest: Uint8Array, length: number): Buffer {
  return Buffer.alloc(length, digest);
}

/** 22: three bytes, a third of the digest apart, make four characters; the last byte makes two. */
function encode(digest: Uint8Array): string {
  const third = Math.floor(digestBytes / 3);
  let [a, b, c] = [0, third, 2 * third];
  let text = '';
  for (let group = 0; group < third; group += 1) {
    text += characters(4, digest[a], digest[b], digest[c]);
    [a, b, c] = [b + 1, c + 1, a + 1];
  }
  return text + characters(2, 0, 0, digest[digestBytes - 1]);
}

function characters(count: number, high = 0, middle = 0, low = 0): string {
  const bits = (high << 16) | (middle << 8) | low;
  return Array.from({ length: count }, (_, at) => alphabet[(bits >> (6 * at)) & 63]).join('');
}

function randomSalt(): string {
  return Array.from(randomBytes(saltCharacters), (byte) => alphabet[byte & 63]).join('');
}
