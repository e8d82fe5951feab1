/**
 * The nouns of the API. This table is the only list of their names, and determines the order of the errors in the
 * documentation. These are derived from it: how a request refers to an object (`references.ts`), the actions and
 * targets of the audit log, the sections of the API reference, and the codes such as `token_not_found`.
 */
const table = {
  project: {
    named: { by: 'name', examples: ['web-team'] },
    actions: ['create', 'delete', 'update'],
    audited: { in: 'itself', decidesAccess: true },
    section: {
      name: 'Projects',
      description: 'Manage projects, to which servers belong, their quotas and their members.',
    },
  },
  token: {
    named: { by: 'name', examples: ['deploy'] },
    actions: ['create', 'revoke'],
    audited: { in: 'project', decidesAccess: true },
    section: {
      name: 'Tokens',
      description: 'Manage the tokens with which programs authenticate.',
    },
  },
  ssh_key: {
    words: 'SSH key',
    named: { by: 'name', examples: ['laptop'] },
    actions: ['create', 'delete', 'update'],
    audited: { in: 'project' },
    section: {
      name: 'SSH keys',
      description: 'Manage the public keys of a project that new servers let in as `root`.',
    },
  },
  webhook: {
    named: { by: 'name', examples: ['deploy-bot'] },
    actions: ['create', 'delete', 'rotate_secret', 'test', 'update'],
    audited: { in: 'project' },
    section: {
      name: 'Webhooks',
      description: 'Have the events of a project sent to URLs as they happen.',
    },
  },
  webhook_delivery: {
    words: 'delivery',
    collection: 'deliveries',
    actions: ['redeliver'],
  },
  user: {
    named: { by: 'email address', examples: ['ada@example.com'] },
    actions: ['create', 'delete', 'update'],
    audited: { in: 'installation', decidesAccess: true },
    section: {
      name: 'Users',
      description: 'Manage the people who can sign in. For administrators.',
    },
  },
  passkey: { actions: ['create', 'delete', 'options'] },
  member: {
    named: { by: 'email address', examples: ['ada@example.com'] },
    actions: ['add', 'remove', 'set'],
    audited: { as: 'user' },
  },
  server: {
    named: {
      by: 'name or UUID',
      examples: ['web-1', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
    },
    // Those on a server that exists are in server-actions.ts.
    actions: ['bulk_action', 'console', 'create', 'dry_run', 'traffic_update', 'update'],
    audited: { in: 'project' },
    section: {
      name: 'Servers',
      description: 'Create, control, monitor and delete virtual servers.',
    },
  },
  location: {
    named: { by: 'name', examples: ['local'] },
    actions: ['create', 'delete', 'update'],
    audited: { in: 'installation' },
    section: {
      name: 'Locations',
      description: 'List and configure the places where servers can run.',
    },
  },
  node: {
    named: { by: 'name', examples: ['node-1'] },
    actions: ['cordon', 'declare_lost', 'evacuate', 'restore', 'uncordon'],
    audited: { in: 'installation' },
    section: {
      name: 'Nodes',
      description: 'List the machines that run servers, and take them out of service and back.',
    },
  },
  operating_system: {
    named: { by: '`slug`', examples: ['debian-12'] },
    actions: ['create', 'update'],
    audited: { in: 'installation' },
    section: {
      name: 'Operating systems',
      description:
        'Manage the operating systems that servers can be created with, and their images.',
    },
  },
  size: {
    named: { by: 'name', examples: ['small'] },
    actions: ['create', 'delete', 'update'],
    audited: { in: 'installation' },
    section: {
      name: 'Sizes',
      description: 'List the sizes that servers can have, and manage them and their prices.',
    },
  },
  address_pool: {
    actions: ['create', 'delete', 'update'],
    audited: { in: 'installation' },
    section: {
      name: 'Address pools',
      description: 'Manage the IP addresses that are assigned to servers. For administrators.',
    },
  },
  drift: {
    words: 'drift record',
    collection: 'drift',
    actions: ['adopt', 'forget', 'repair'],
    section: {
      name: 'Drift',
      description:
        'List differences between the records and Incus that somebody has made by hand, and end them. For administrators.',
    },
  },
  operation: {
    actions: ['cancel'],
    section: {
      name: 'Operations',
      description:
        'Follow changes to servers and nodes that take time, get their outcome, and cancel them.',
    },
  },
} as const satisfies Record<string, NounEntry>;

interface NounEntry {
  /** Its name in sentences, such as `SSH key`. Defaults to its name with spaces. */
  words?: string;
  /** The name of the collection in paths. Defaults to its name with hyphens and an `s`. */
  collection?: string;
  /** By what else than its ID a request can refer to it, and examples of that. */
  named?: { by: string; examples: readonly string[] };
  /** What can be done to it: each is the action `<noun>_<action>` of the audit log, and the `operationId` of a route. */
  actions: readonly string[];
  /** Set if it can be the target of entries of the audit log. With `as`, entries name another noun as the target. */
  audited?: Audited | { as: string };
  /** Its section of the API reference. If it is undefined, its requests are in the section of another noun. */
  section?: Section;
}

/** A noun that can be the target of entries of the audit log. */
export interface Audited {
  /** Whose history has its changes: that of its project, of the project that it is itself, or of no project. */
  in: 'project' | 'itself' | 'installation';
  /** Whether a change of it can affect authentication or authorization. */
  decidesAccess?: boolean;
}

export interface Section {
  name: string;
  description: string;
}

type Table = typeof table;
/** A noun that a request can refer to. */
export type Noun = keyof Table;

export type NamedNoun = {
  [N in Noun]: Table[N] extends { named: object } ? N : never;
}[Noun];

/** A noun that can be the target of an entry of the audit log. */
export type AuditedNoun = {
  [N in Noun]: Table[N] extends { audited: Audited } ? N : never;
}[Noun];

/** Such as `token_create`. */
export type NounAction = { [N in Noun]: `${N}_${Table[N]['actions'][number]}` }[Noun];

export type NotFound = `${Noun}_not_found`;

const entries: Readonly<Record<Noun, NounEntry>> = table;

export const nouns = Object.keys(table) as Noun[];

/** How a request can refer to an object of this noun: `ID, name or UUID`. */
export function identifiersOf(noun: Noun): string {
  const by = entries[noun].named?.by;
  if (by === undefined) return 'ID';
  return namesOf(noun).length > 1 ? `ID, ${by}` : `ID or ${by}`;
}

/** By what other than its ID a request can refer to one: `name`, `UUID`. */
export function namesOf(noun: Noun): string[] {
  return entries[noun].named?.by.split(' or ') ?? [];
}

/** Examples of a reference other than by ID. */
export function examplesOf(noun: Noun): string[] {
  return [...(entries[noun].named?.examples ?? [])];
}

/** The name of the noun in sentences, such as `SSH key`. */
export function wordsOf(noun: Noun): string {
  return entries[noun].words ?? noun.replaceAll('_', ' ');
}

/** The name of the collection in paths, such as `address-pools`. */
export const collectionOf = (noun: Noun) =>
  entries[noun].collection ?? `${noun.replaceAll('_', '-')}s`;

export const nounActions = nouns.flatMap((noun) =>
  entries[noun].actions.map((action) => `${noun}_${action}` as NounAction),
);

/** The target of entries about this noun, which is the user for a member. Undefined if entries are never about it. */
export function auditedAs(noun: Noun): AuditedNoun | undefined {
  const { audited } = entries[noun];
  if (!audited) return undefined;
  return ('as' in audited ? audited.as : noun) as AuditedNoun;
}

export const auditedNouns = nouns.filter((noun): noun is AuditedNoun => auditedAs(noun) === noun);

export const auditOf = (noun: AuditedNoun): Audited => table[noun].audited;

/** The sections of all nouns. */
export const sections: readonly Section[] = nouns.flatMap((noun) => entries[noun].section ?? []);
