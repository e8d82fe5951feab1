/**
 * The nouns of the API: the one table of their names. Its order is that of the errors in the documentation. From it
 * follow how a request refers to one (`references.ts`), the actions and the targets of the audit log, the sections of
 * the API reference, and the problem that there is none, such as `token_not_found`.
 */
const table = {
  project: {
    named: { by: 'name', example: 'web-team' },
    actions: ['create', 'delete', 'update'],
    audited: { in: 'itself', decidesAccess: true },
    section: {
      name: 'Projects',
      description: 'Manage projects, to which servers belong, their quotas and their members.',
    },
  },
  token: {
    named: { by: 'name', example: 'deploy' },
    actions: ['create', 'revoke'],
    audited: { in: 'project', decidesAccess: true },
    section: {
      name: 'Tokens',
      description: 'Manage the tokens with which programs authenticate.',
    },
  },
  user: {
    named: { by: 'email address', example: 'ada@example.com' },
    actions: ['create', 'delete', 'update'],
    audited: { in: 'installation', decidesAccess: true },
    section: {
      name: 'Users',
      description: 'Manage the people who can sign in. For administrators.',
    },
  },
  passkey: { actions: ['create', 'delete', 'options'] },
  member: {
    named: { by: 'email address', example: 'ada@example.com' },
    actions: ['add', 'remove', 'set'],
    audited: { as: 'user' },
  },
  server: {
    named: { by: 'name or UUID', example: 'web-1' },
    // Those on a server that exists are in server-actions.ts.
    actions: ['create', 'dry_run', 'traffic_update'],
    audited: { in: 'project' },
    section: {
      name: 'Servers',
      description: 'Create, control, monitor and delete virtual servers.',
    },
  },
  location: {
    named: { by: 'name', example: 'local' },
    actions: ['create', 'delete', 'update'],
    audited: { in: 'installation' },
    section: {
      name: 'Locations',
      description: 'List and configure the places where servers can run.',
    },
  },
  node: {
    named: { by: 'name', example: 'node-1' },
    actions: ['cordon', 'declare_lost', 'evacuate', 'restore', 'uncordon'],
    audited: { in: 'installation' },
    section: {
      name: 'Nodes',
      description: 'List the machines that run servers, and take them out of service and back.',
    },
  },
  operating_system: {
    named: { by: '`slug`', example: 'debian-12' },
    actions: ['create', 'update'],
    audited: { in: 'installation' },
    section: {
      name: 'Operating systems',
      description:
        'Manage the operating systems that servers can be created with, and their images.',
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
  operation: {
    actions: [],
    section: {
      name: 'Operations',
      description: 'Follow changes to servers and nodes that take time, and get their outcome.',
    },
  },
} as const satisfies Record<string, NounEntry>;

interface NounEntry {
  /** What it is called in sentences, where that is not its name with spaces: `SSH key`. */
  words?: string;
  /** By what else than its ID a request can refer to it, and an example of that. */
  named?: { by: string; example: string };
  /** What can be done to it: each is the action `<noun>_<action>` of the audit log, and the `operationId` of a route. */
  actions: readonly string[];
  /** Entries of the audit log can be about it, or about what it is named `as`. Undefined: they are about something else. */
  audited?: Audited | { as: string };
  /** Of the API reference. Undefined: its requests are in the section of another noun. */
  section?: Section;
}

/** Of what can be the target of an entry of the audit log. */
export interface Audited {
  /** In whose history a change of it is: its project's, the one of the project that it is itself, or no project's. */
  in: 'project' | 'itself' | 'installation';
  /** Whether a change of it may decide who is let in, and to what. */
  decidesAccess?: boolean;
}

export interface Section {
  name: string;
  description: string;
}

type Table = typeof table;
/** What a request can refer to. */
export type Noun = keyof Table;

export type NamedNoun = {
  [N in Noun]: Table[N] extends { named: object } ? N : never;
}[Noun];

/** What an entry of the audit log can be about. */
export type AuditedNoun = {
  [N in Noun]: Table[N] extends { audited: Audited } ? N : never;
}[Noun];

/** `token_create` and the like. */
export type NounAction = { [N in Noun]: `${N}_${Table[N]['actions'][number]}` }[Noun];

export type NotFound = `${Noun}_not_found`;

const entries: Readonly<Record<Noun, NounEntry>> = table;

export const nouns = Object.keys(table) as Noun[];

/** By what a request can refer to one: `ID, name or UUID`. */
export function identifiersOf(noun: Noun): string {
  const by = entries[noun].named?.by;
  if (by === undefined) return 'ID';
  return by.includes(' or ') ? `ID, ${by}` : `ID or ${by}`;
}

/** Of what names it, other than an ID. */
export function examplesOf(noun: Noun): string[] {
  const { example } = entries[noun].named ?? {};
  return example === undefined ? [] : [example];
}

/** As in `an SSH key`. */
export function wordsOf(noun: Noun): string {
  return entries[noun].words ?? noun.replaceAll('_', ' ');
}

/** As in `/v1/address-pools`. */
export const collectionOf = (noun: Noun) => `${noun.replaceAll('_', '-')}s`;

export const nounActions = nouns.flatMap((noun) =>
  entries[noun].actions.map((action) => `${noun}_${action}` as NounAction),
);

/** What an entry about this noun is about: of a member, it is the user. Undefined: entries are about something else. */
export function auditedAs(noun: Noun): AuditedNoun | undefined {
  const { audited } = entries[noun];
  if (!audited) return undefined;
  return ('as' in audited ? audited.as : noun) as AuditedNoun;
}

export const auditedNouns = nouns.filter((noun): noun is AuditedNoun => auditedAs(noun) === noun);

export const auditOf = (noun: AuditedNoun): Audited => table[noun].audited;

/** Those of nouns, by name. */
export const sections: readonly Section[] = nouns.flatMap((noun) => entries[noun].section ?? []);
