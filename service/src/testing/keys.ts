import { createKeyring, type Keyring } from '../keys/keyring.ts';

/** Keys as an installation has them that was made by this release: one, and all is bound. */
export function testKeyring(key: Buffer = Buffer.alloc(32, 7)): Keyring {
  return createKeyring({ keys: [key], current: key, sealing: 'bound' });
}
