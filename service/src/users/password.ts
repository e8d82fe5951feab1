import { hash, verify } from '@node-rs/argon2';

/** OWASP's choice for argon2id (the library's default kind): 19 MiB, two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export async function hashPassword(password: string): Promise<string> {
  return await hash(password.normalize('NFC'), cost);
}

let placeholder: Promise<string> | undefined;

/**
 * Whether it is the password of this hash. Without one it never is, and finding out takes as long:
 * nobody is to learn from the time which email addresses are known.
 */
export async function isPassword(stored: string | null | undefined, password: string) {
  placeholder ??= hashPassword('nobody has this one');
  const fits = await verify(stored ?? (await placeholder), password.normalize('NFC'));
  return fits && typeof stored === 'string';
}
