import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** A host key of an SSH server, as the two files of OpenSSH. */
export interface HostKey {
  /** As in the name of its file, `ssh_host_<type>_key`. */
  type: 'ed25519' | 'ecdsa';
  privateKey: string;
  publicKey: string;
}

/** The fields of a key, in the order of OpenSSH: the public and the private ones. */
interface Fields {
  name: string;
  public: Buffer[];
  private: Buffer[];
}

const cipherBlockBytes = 8;
const lineCharacters = 70;

/** Generates new keys of the types that cloud-init generates. Takes less than a millisecond. */
export function newHostKeys(comment: string): HostKey[] {
  return [hostKey('ed25519', ed25519(), comment), hostKey('ecdsa', ecdsa(), comment)];
}

/** RFC 8709: the private key is the seed, followed by the public key. */
function ed25519(): Fields {
  const { privateKey } = generateKeyPairSync('ed25519');
  const [point, seed] = parts(privateKey, 'x', 'd');
  return {
    name: 'ssh-ed25519',
    public: [string(point)],
    private: [string(point), string(Buffer.concat([seed, point]))],
  };
}

/** RFC 5656: the leading 4 marks an uncompressed point. */
function ecdsa(): Fields {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const [x, y, d] = parts(privateKey, 'x', 'y', 'd');
  const open = [string('nistp256'), string(Buffer.concat([Buffer.from([4]), x, y]))];
  return { name: 'ecdsa-sha2-nistp256', public: open, private: [...open, positive(d)] };
}

/** OpenSSH, PROTOCOL.key: older versions, such as that of Debian 12, read Ed25519 keys only in this format. */
function hostKey(type: HostKey['type'], fields: Fields, comment: string): HostKey {
  const blob = Buffer.concat([string(fields.name), ...fields.public]);
  const check = randomBytes(4);
  const secret = padded(
    Buffer.concat([check, check, string(fields.name), ...fields.private, string(comment)]),
  );
  const none = string('none');
  const head = [Buffer.from('openssh-key-v1\0'), none, none, string(''), number(1)];
  const whole = Buffer.concat([...head, string(blob), string(secret)]).toString('base64');
  const lines = whole.match(new RegExp(`.{1,${lineCharacters}}`, 'g')) ?? [];
  const [begin, end] = ['BEGIN', 'END'].map((word) => `-----${word} OPENSSH PRIVATE KEY-----`);
  return {
    type,
    privateKey: `${[begin, ...lines, end].join('\n')}\n`,
    publicKey: `${fields.name} ${blob.toString('base64')} ${comment}\n`,
  };
}

function parts<Names extends ('x' | 'y' | 'd')[]>(key: KeyObject, ...names: Names) {
  const jwk = key.export({ format: 'jwk' });
  return names.map((name) => Buffer.from(String(jwk[name]), 'base64url')) as {
    [At in keyof Names]: Buffer;
  };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function string(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([number(bytes.length), bytes]);
}

/**
 * RFC 4251, mpint: the shortest form, with a leading zero byte if the first bit would be read as a
 * sign.
 */
function positive(bytes: Buffer): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const short = bytes.subarray(from);
  const isSigned = ((short[0] ?? 0) & 0x80) !== 0;
  return string(isSigned ? Buffer.concat([Buffer.alloc(1), short]) : short);
}

function padded(content: Buffer): Buffer {
  const missing = (cipherBlockBytes - (content.length % cipherBlockBytes)) % cipherBlockBytes;
  return Buffer.concat([content, Buffer.from(Array.from({ length: missing }, (_, at) => at + 1))]);
}
