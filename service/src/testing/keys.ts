import { createKeyring, type Keyring } from '../keys/keyring.ts';

/** The keys of a new installation of this release: one bound key. */
export function testKeyring(bytes: Buffer = Buffer.alloc(32, 7)): Keyring {
  const key = { bytes, isBound: true };
  return createKeyring({ keys: [key], current: key, sealing: 'bound' });
}
