import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const idBytes = 8;
const macBytes = 32;
/** What is bound begins with it, and with the id of its key. */
const magic = Buffer.from('BRT2');
export const headerBytes = magic.length + idBytes;

/** Where a value is kept: elsewhere it can't be opened. */
export interface Place {
  table: string;
  column: string;
  row: string;
}

/**
 * `unbound`: values are written as the release before wrote them, which knew nothing of places, and are
 * read so or bound. `mixed`: they are written bound, and read so or not. `bound`: nothing else is read.
 */
export type Sealing = 'unbound' | 'mixed' | 'bound';

/** Keys of 32 bytes each, of which the current one is for what is written. */
export interface KeyState {
  keys: readonly Buffer[];
  current: Buffer;
  sealing: Sealing;
}

/** The installation's keys, and what can be done with them. Each use has a key of its own, by HKDF. */
export interface Keyring {
  /** Encrypts a JSON value, for a column of bytes. */
  seal(place: Place, value: unknown): Buffer;
  /** Undefined for what was sealed with an unknown key, or for another place, or was changed. */
  open<T>(place: Place, sealed: Buffer): T | undefined;
  /** A MAC (HMAC-SHA256) that can be told to be of this installation, and for this purpose. */
  mac(purpose: string, data: string | Buffer): Buffer;
  isMac(purpose: string, data: string | Buffer, mac: Buffer): boolean;
  /** Goes on with other keys. */
  use(state: KeyState): void;
  readonly state: KeyState;
}

export function createKeyring(initial: KeyState): Keyring {
  let state = initial;
  const derive = rememberedDerivation();
  const byId = (id: Buffer) => state.keys.find((key) => keyId(key).equals(id));

  const macUnder = (key: Buffer, purpose: string, data: string | Buffer) =>
    createHmac('sha256', derive(key, `mac ${purpose}`))
      .update(data)
      .digest();
  const unboundMac = (key: Buffer, data: string | Buffer) =>
    createHmac('sha256', key).update(data).digest();

  function openBound(place: Place, sealed: Buffer): string | undefined {
    const key = byId(sealed.subarray(magic.length, headerBytes));
    if (!key || !sealed.subarray(0, magic.length).equals(magic)) return undefined;
    const options = { key: derive(key, purposeOf(place)), aad: aadOf(place, keyId(key)) };
    return decipher(options, sealed.subarray(headerBytes));
  }

  function openUnbound(sealed: Buffer): string | undefined {
    if (state.sealing === 'bound') return undefined;
    for (const key of state.keys) {
      const text = decipher({ key }, sealed);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  return {
    seal(place, value) {
      const { current, sealing } = state;
      if (sealing === 'unbound') return encipher({ key: current }, value);
      const id = keyId(current);
      const options = { key: derive(current, purposeOf(place)), aad: aadOf(place, id) };
      return Buffer.concat([magic, id, encipher(options, value)]);
    },
    open<T>(place: Place, sealed: Buffer) {
      const text = openBound(place, sealed) ?? openUnbound(sealed);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    mac(purpose, data) {
      const { current, sealing } = state;
      if (sealing === 'unbound') return unboundMac(current, data);
      return Buffer.concat([keyId(current), macUnder(current, purpose, data)]);
    },
    isMac(purpose, data, mac) {
      if (mac.length === macBytes) {
        if (state.sealing === 'bound') return false;
        return state.keys.some((key) => timingSafeEqual(unboundMac(key, data), mac));
      }
      const key = byId(mac.subarray(0, idBytes));
      if (!key || mac.length !== idBytes + macBytes) return false;
      return timingSafeEqual(macUnder(key, purpose, data), mac.subarray(idBytes));
    },
    use(next) {
      state = next;
    },
    get state() {
      return state;
    },
  };
}

export const keySha256 = (key: Buffer) => createHash('sha256').update(key).digest();

/** Tells keys apart, and nothing about them: they are random. */
export const keyId = (key: Buffer) => keySha256(key).subarray(0, idBytes);

/** How everything begins that is bound and sealed with a key. */
export const headerOf = (key: Buffer) => Buffer.concat([magic, keyId(key)]);

const purposeOf = ({ table, column }: Place) => `seal ${table}.${column}`;

function aadOf({ table, column, row }: Place, id: Buffer): Buffer {
  return Buffer.concat([magic, id, Buffer.from(JSON.stringify([table, column, row]))]);
}

/** RFC 5869; without a salt, since the master key is random. */
function rememberedDerivation() {
  const derived = new Map<string, Buffer>();
  return (master: Buffer, purpose: string): Buffer => {
    const name = `${master.toString('hex')} ${purpose}`;
    const known =
      derived.get(name) ?? Buffer.from(hkdfSync('sha256', master, '', `berth ${purpose}`, 32));
    derived.set(name, known);
    return known;
  };
}

interface CipherOptions {
  key: Buffer;
  aad?: Buffer;
}

function encipher({ key, aad }: CipherOptions, value: unknown): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  if (aad) cipher.setAAD(aad);
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function decipher({ key, aad }: CipherOptions, sealed: Buffer): string | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const opened = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  if (aad) opened.setAAD(aad);
  opened.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  const body = sealed.subarray(nonceBytes + tagBytes);
  try {
    return Buffer.concat([opened.update(body), opened.final()]).toString('utf8');
  } catch {
    // Another key, another place, or changed: GCM tells no more.
    return undefined;
  }
}
