import { createKeyring, type Keyring } from '../keys/keyring.ts';

/** Keys as an installation has them that was made by this release: one, which is bound. */
export function testKeyring(bytes: Buffer = Buffer.alloc(32, 7)): Keyring {
  const key = { bytes, isBound: true };
  return createKeyring({ keys: [key], current: key, sealing: 'bound' });
}
