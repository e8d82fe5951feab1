import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a JSON value under the installation's key (32 bytes), for a column of bytes. */
export function encrypt(key: Buffer, value: unknown): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Undefined when the value was written under another key, or was changed. */
export function decrypt<T>(key: Buffer, sealed: Buffer): T | undefined {
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce);
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  const body = sealed.subarray(nonceBytes + tagBytes);
  let text: Buffer;
  try {
    text = Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    return undefined;
  }
  return JSON.parse(text.toString('utf8'));
}
