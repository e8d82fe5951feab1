import { createHash, hash, randomBytes } from 'node:crypto';

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const saltCharacters = 16;
/** The default of the scheme, which is omitted from the hash. */
const rounds = 5000;
const digestBytes = 64;

/**
 * A password as stored in `/etc/shadow`: `$6$<salt>$<hash>` ("Unix crypt using SHA-256 and
 * SHA-512", U. Drepper, version 0.6, whose steps are numbered below). Takes some milliseconds.
 */
export function hashPassword(password: string, salt = randomSalt()): string {
  const key = Buffer.from(password, 'utf8');
  const salted = Buffer.from(salt, 'ascii');
  const start = startDigest(key, salted);
  // 13–20: P and S have the lengths of the password and the salt.
  const keyBytes = stretched(sha512(...Array<Buffer>(key.length).fill(key)), key.length);
  const saltTimes = 16 + (start[0] ?? 0);
  const saltBytes = stretched(sha512(...Array<Buffer>(saltTimes).fill(salted)), salted.length);
  return `$6$${salt}$${encode(digestAfterRounds(start, keyBytes, saltBytes))}`;
}

/** The inputs of the rounds repeat, because a round differs by its remainders of 2, 3 and 7. */
const differentRounds = 2 * 3 * 7;

/** 21. One call per round, on a buffer that is used again, takes a third less time than a call per part. */
function digestAfterRounds(start: Buffer, key: Buffer, salt: Buffer): Buffer {
  const inputs = Array.from({ length: differentRounds }, (_, round) => inputOf(round, key, salt));
  let digest = start;
  for (let round = 0; round < rounds; round += 1) {
    const { bytes, digestAt } = inputs[round % differentRounds] as RoundInput;
    digest.copy(bytes, digestAt);
    digest = hash('sha512', bytes, 'buffer');
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
function startDigest(key: Buffer, salt: Buffer): Buffer {
  const other = sha512(key, salt, key);
  const parts = [key, salt, stretched(other, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push(bits % 2 === 1 ? other : key);
  return sha512(...parts);
}

function sha512(...parts: Buffer[]): Buffer {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Repeats the bytes up to a length. */
function stretched(digest: Buffer, length: number): Buffer {
  return Buffer.alloc(length, digest);
}

/** 22: three bytes, a third of the digest apart, make four characters; the last byte makes two. */
function encode(digest: Buffer): string {
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
