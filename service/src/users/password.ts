import { blockKey, networkKey } from '../limits/credentials.ts';
import { type Asker, createGate } from '../threads/gate.ts';

/** The library is loaded for the first password: a service whose clients have tokens does not need it. */
const argon2 = () => import('@node-rs/argon2');

/** OWASP's choice for argon2id (the library's default kind): 19 MiB, two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * For the whole process: it limits the memory, and leaves two of libuv's four threads to others.
 */
export const passwordGate = createGate({ atOnce: 2, mostWaiting: 32, longestWaitMs: 3000 });

/** The caller of administrators and tools, who are trusted not to block each other. */
export const trusted = 'trusted';

/**
 * The key of callers who are authenticated, or come from a network where the same user was: half of
 * the turns and places are theirs.
 */
export function known(name: string): Asker {
  return ['known', name];
}

/**
 * The key of all other callers. They have the other half, from however many networks they come, and those of one block
 * share a turn.
 */
export function stranger(address: string): Asker {
  return ['strangers', blockKey(address), networkKey(address)];
}

/**
 * Hashes a password. Must not be called within a transaction: it takes a while, and may wait.
 * `asker` decides whose turn it is. Throws `unavailable` (503).
 */
export async function hashPassword(password: string, asker = known(trusted)): Promise<string> {
  const { hash } = await argon2();
  return await passwordGate.run(asker, () => hash(password.normalize('NFC'), cost));
}

let placeholder: string | undefined;

/**
 * Whether a password matches a hash. Without a hash it never does, and takes as long, so that the
 * time does not reveal which email addresses are known. Otherwise as `hashPassword`.
 */
export async function isPassword(
  stored: string | null | undefined,
  password: string,
  asker = known(trusted),
): Promise<boolean> {
  placeholder ??= await hashPassword('nobody has this one', asker);
  const compared = stored ?? placeholder;
  const { verify } = await argon2();
  const fits = await passwordGate.run(asker, () => verify(compared, password.normalize('NFC')));
  return fits && typeof stored === 'string';
}
