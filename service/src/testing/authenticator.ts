import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

// A software authenticator for passkeys (https://www.w3.org/TR/webauthn-3/).

interface Request {
  challenge: string;
  origin: string;
  rpId: string;
}

/** Who attests the model of the device: the passkey itself, or its manufacturer. */
type Attestation = 'self' | { key: KeyObject; certificate: Buffer };

export interface Device {
  counter: number;
  /** Whether the user was verified. */
  isUnlocked: boolean;
  /** Creates a passkey, like `navigator.credentials.create`. */
  create(request: Request & { userId: string; attestation?: Attestation }): object;
  /** Signs a challenge, like `navigator.credentials.get`. */
  get(request: Request): { response: Record<string, string> } & Record<string, unknown>;
}

const present = 0x01;
const verified = 0x04;
const withKey = 0x40;

export function createDevice(): Device {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(16);
  const id = credentialId.toString('base64url');
  let userHandle = '';

  function authenticatorData(rpId: string, flags: number): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | present | (device.isUnlocked ? verified : 0));
    head.writeUInt32BE(device.counter, 1);
    return Buffer.concat([sha256(rpId), head]);
  }

  const device: Device = {
    counter: 1,
    isUnlocked: true,
    create({ challenge, origin, rpId, userId, attestation: by }) {
      userHandle = userId;
      // RFC 9053, section 7.1.1: EC2, ES256, P-256.
      const key = new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const nobodysModel = Buffer.alloc(16);
      const attested = [nobodysModel, length, credentialId, cbor(key)];
      const authData = Buffer.concat([authenticatorData(rpId, withKey), ...attested]);
      const data = clientData('webauthn.create', challenge, origin);
      const statement = new Map<string, unknown>();
      if (by) {
        const key = by === 'self' ? privateKey : by.key;
        statement.set('alg', -7);
        statement.set('sig', sign('sha256', Buffer.concat([authData, sha256(data)]), key));
        if (by !== 'self') statement.set('x5c', [by.certificate]);
      }
      const attestation = new Map<string, unknown>([
        ['fmt', by ? 'packed' : 'none'],
        ['attStmt', statement],
        ['authData', authData],
      ]);
      const response = {
        clientDataJSON: data.toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },
    get({ challenge, origin, rpId }) {
      device.counter += 1;
      const data = clientData('webauthn.get', challenge, origin);
      const authData = authenticatorData(rpId, 0);
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey);
      const response = {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle,
      };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },
  };
  return device;
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Encodes the part of CBOR (RFC 8949) that passkeys need. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...(value as Map<unknown, unknown>)];
  const items = entries.flatMap(([key, item]) => [cbor(key), cbor(item)]);
  return Buffer.concat([head(5, entries.length), ...items]);
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  return count < 256
    ? Buffer.from([(major << 5) | 24, count])
    : Buffer.from([(major << 5) | 25, count >> 8, count & 0xff]);
}
