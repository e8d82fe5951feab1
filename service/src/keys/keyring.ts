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
/** The first bytes of a bound value, followed by the id of its key. */
const magic = Buffer.from('BRT2');
export const headerBytes = magic.length + idBytes;

/** Where a value is stored. It can't be opened in another place. */
export interface Place {
  table: string;
  column: string;
  row: string;
  /** The name of the row in previous releases, if that was different. */
  rowBefore?: string;
}

/** A key of 32 bytes, from the file secret-key. */
export interface Key {
  bytes: Buffer;
  /**
   * Whether values under this key are always bound to their place, regardless of the database.
   * Previous releases may use other keys, for which `sealing` in the database decides.
   */
  isBound: boolean;
}

/**
 * What the database says about keys that are not bound. `unbound`: values are written unbound, as
 * by previous releases, and both kinds are read. `mixed`: values are written bound, and both kinds
 * are read. `bound`: only bound values are read.
 */
export type Sealing = 'unbound' | 'mixed' | 'bound';

const levels: readonly Sealing[] = ['unbound', 'mixed', 'bound'];

/** The keys. Values are written with the current one. */
export interface KeyState {
  keys: readonly Key[];
  current: Key;
  sealing: Sealing;
}

/** The keys of the installation and their functions. Each use has a separate key, which is derived by HKDF. */
export interface Keyring {
  /** Encrypts a JSON value, for a column of bytes. */
  seal(place: Place, value: unknown): Buffer;
  /** Undefined if it was sealed with an unknown key or for another place, or was modified. */
  open<T>(place: Place, sealed: Buffer): T | undefined;
  /** A MAC (HMAC-SHA256) that is specific to this installation and purpose. */
  mac(purpose: string, data: string | Buffer): Buffer;
  isMac(purpose: string, data: string | Buffer, mac: Buffer): boolean;
  /** Replaces the keys. The level never decreases, because an attacker who can write to the database could lower it. */
  use(state: KeyState): void;
  readonly state: KeyState;
}

export function createKeyring(initial: KeyState): Keyring {
  let state = initial;
  const derive = rememberedDerivation();
  const byId = (id: Buffer) => state.keys.find(({ bytes }) => keyId(bytes).equals(id));
  const writesUnbound = () => state.sealing === 'unbound' && !state.current.isBound;
  /** The keys under which values can be unbound. */
  const unboundKeys = () =>
    state.sealing === 'bound' ? [] : state.keys.filter(({ isBound }) => !isBound);

  const macUnder = ({ bytes }: Key, purpose: string, data: string | Buffer) =>
    createHmac('sha256', derive(bytes, `mac ${purpose}`))
      .update(data)
      .digest();
  const unboundMac = ({ bytes }: Key, data: string | Buffer) =>
    createHmac('sha256', bytes).update(data).digest();

  function openBound(place: Place, sealed: Buffer): string | undefined {
    const key = byId(sealed.subarray(magic.length, headerBytes));
    if (!key || !sealed.subarray(0, magic.length).equals(magic)) return undefined;
    for (const row of rowsUnder(key, place)) {
      const text = decipher(boundTo({ ...place, row }, key), sealed.subarray(headerBytes));
      if (text !== undefined) return text;
    }
    return undefined;
  }

  const boundTo = (place: Place, { bytes }: Key): CipherOptions => ({
    key: derive(bytes, purposeOf(place)),
    aad: aadOf(place, keyId(bytes)),
  });

  function openUnbound(sealed: Buffer): string | undefined {
    for (const { bytes } of unboundKeys()) {
      const text = decipher({ key: bytes }, sealed);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  return {
    seal(place, value) {
      const { current } = state;
      if (writesUnbound()) return encipher({ key: current.bytes }, value);
      const [row] = rowsUnder(current, place);
      return Buffer.concat([
        headerOf(current.bytes),
        encipher(boundTo({ ...place, row }, current), value),
      ]);
    },
    open<T>(place: Place, sealed: Buffer) {
      const text = openBound(place, sealed) ?? openUnbound(sealed);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    mac(purpose, data) {
      const { current } = state;
      if (writesUnbound()) return unboundMac(current, data);
      return Buffer.concat([keyId(current.bytes), macUnder(current, purpose, data)]);
    },
    isMac(purpose, data, mac) {
      if (mac.length === macBytes) {
        return unboundKeys().some((key) => timingSafeEqual(unboundMac(key, data), mac));
      }
      const key = byId(mac.subarray(0, idBytes));
      if (!key || mac.length !== idBytes + macBytes) return false;
      return timingSafeEqual(macUnder(key, purpose, data), mac.subarray(idBytes));
    },
    use(next) {
      state = { ...next, sealing: higher(state.sealing, next.sealing) };
    },
    get state() {
      return state;
    },
  };
}

export const keySha256 = (key: Buffer) => createHash('sha256').update(key).digest();

/** Identifies a key without revealing anything about it: keys are random. */
export const keyId = (key: Buffer) => keySha256(key).subarray(0, idBytes);

/** The id of a key in hexadecimal for people, from the SHA-256 of the key. */
export const fingerprintOf = (sha256: Buffer) => sha256.subarray(0, idBytes).toString('hex');

/** The fingerprints of those of some keys, given by their SHA-256, that a keyring lacks. */
export const lackingIn = ({ state: { keys } }: Keyring, sha256s: readonly Buffer[]): string[] =>
  sha256s
    .filter((sha256) => !keys.some(({ bytes }) => keySha256(bytes).equals(sha256)))
    .map(fingerprintOf);

/** The fingerprint of the key of a sealed value; undefined if it is not bound, and so has none. */
export function fingerprintIn(sealed: Buffer): string | undefined {
  const isBound = sealed.subarray(0, magic.length).equals(magic);
  return isBound ? sealed.subarray(magic.length, headerBytes).toString('hex') : undefined;
}

/** The header of a value that is bound and sealed with a key. */
export const headerOf = (key: Buffer) => Buffer.concat([magic, keyId(key)]);

const higher = (one: Sealing, other: Sealing) =>
  levels.indexOf(one) > levels.indexOf(other) ? one : other;

/** The possible names of a row in what is sealed under a key; the first is used for writing. */
function rowsUnder({ isBound }: Key, { row, rowBefore }: Place): [string, ...string[]] {
  return isBound || rowBefore === undefined ? [row] : [rowBefore, row];
}

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
    // The key or the place is another one, or the value was modified. GCM does not distinguish these.
    return undefined;
  }
}
