import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Name, notAnId } from './text.ts';
import { Closed, Id, Timestamp } from './values.ts';

const mostCharacters = 8192;

const example =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBJ3F1zyPrqeW65SXy0v0RsrI9ef8qPOgRwKJGnw0vVS ada@laptop';

/** The name of a key, and how OpenSSH shows it. */
export const sshKeyInShort = {
  name: Type.String({ description: 'The name of the SSH key.', examples: ['laptop'] }),
  fingerprint: Type.String({
    description: 'The SHA-256 fingerprint of the SSH key, as `ssh-keygen -l` shows it.',
    examples: ['SHA256:itJbxMIdu/F5NYka3+0BYb5/D7Hj7Akau6FHJElYW+Q'],
  }),
};

export const SshKey = Type.Object(
  {
    id: Id('the SSH key', 5),
    ...sshKeyInShort,
    public_key: Type.String({
      description:
        'The public key, as a line of `authorized_keys`: its type, the key in base64, and its comment if it has one.',
      examples: [example],
    }),
    project_id: Id('the project that the SSH key belongs to', 1),
    created_at: Timestamp('The time at which the SSH key was created.'),
  },
  {
    title: 'SshKey',
    description: 'A public key of SSH, with which people log in to servers as `root`.',
  },
);
export type SshKey = Static<typeof SshKey>;

const name = Name({
  description:
    'The name of the SSH key. It must be unique in the project; the comparison ignores case. ' +
    notAnId,
  examples: ['laptop'],
});

export const SshKeyCreate = Closed(
  {
    name,
    public_key: Type.String({
      minLength: 1,
      maxLength: mostCharacters,
      description:
        `The public key in the format of OpenSSH, of at most ${mostCharacters} characters: the content of a file like ` +
        '`~/.ssh/id_ed25519.pub`. Its type is Ed25519, ECDSA, RSA with at least 2048 bits, or Ed25519 or ECDSA on a ' +
        'security key (`sk-…`). The project cannot have the same key twice.',
      examples: [example],
      explain: `Must be a public key of at most ${mostCharacters} characters, such as the content of ~/.ssh/id_ed25519.pub.`,
    }),
  },
  { title: 'SshKeyCreate', description: 'The SSH key to create.' },
);
export type SshKeyCreate = Static<typeof SshKeyCreate>;

export const SshKeyUpdate = Closed(
  { name: Type.Optional(name) },
  {
    title: 'SshKeyUpdate',
    description: 'The fields to change. To replace a public key, create another SSH key.',
  },
);
export type SshKeyUpdate = Static<typeof SshKeyUpdate>;

export const SshKeyQuery = Closed({ ...pageParameters, q: NamePrefix('SSH keys', 'name') });
