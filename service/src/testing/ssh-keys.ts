import { newHostKeys } from '../guests/host-keys.ts';

/** A key that no test had before: the content of a `.pub` file without its line break. */
export function newPublicKey(comment = 'test'): string {
  const [ed25519] = newHostKeys(comment);
  return (ed25519?.publicKey ?? '').trim();
}

/** A text as SSH keys contain it: RFC 4251, section 5. */
export function sshString(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A public key with these fields after the name of its type, as in a `.pub` file. */
export function publicKeyOf(type: string, ...fields: (string | Buffer)[]): string {
  const bytes = Buffer.concat([type, ...fields].map(sshString));
  return `${type} ${bytes.toString('base64')}`;
}
