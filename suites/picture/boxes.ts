// The boxes of docs/architecture.svg, from top to bottom. Similar folders share a box. A box imports those below it; an
// import of one above is drawn as an exception.

export interface Box {
  /** What its folders do, in a few words. */
  about: string;
  /**
   * Folders of `service/src/`, including those in them; `.` means the files in no folder. Or
   * `contract`.
   */
  folders: readonly string[];
  kind: Kind;
  /** Whether each arrow to it is drawn, even if a longer path implies it. */
  allArrows?: true;
  /** Whether it has the folders that no box names: most new nouns belong to a project. */
  takesOthers?: true;
}

/** The topic of a box, which determines its colour. */
type Kind = keyof typeof kinds;

export const kinds = {
  start: { name: 'start and command line', color: '#e9e2f7' },
  request: { name: 'handling of requests', color: '#d9eaf8' },
  noun: { name: 'nouns of the API', color: '#ddf0d8' },
  work: { name: 'work without a request', color: '#fde7cc' },
  foundation: { name: 'foundation', color: '#ececec' },
} as const;

const box = (kind: Kind, about: string, ...folders: string[]): Box => ({ kind, about, folders });

export const boxes: readonly Box[] = [
  box('start', 'command line', 'cli', 'inspect'),
  box('start', 'start of the service', '.'),
  box('start', 'set up the machine', 'installation', 'doctor', 'location-setup'),
  box('start', 'settings of the process', 'config'),
  box(
    ...(['request', 'HTTP server', 'http', 'openapi', 'help', 'panel', 'built-files'] as const),
    ...['refusals', 'streams'],
  ),
  box('work', 'metrics', 'metrics'),
  box('request', 'connections', 'edge'),
  box('noun', 'health', 'health', 'version'),
  box('work', 'compare records with Incus', 'reconcilers'),
  box('noun', 'work on nodes, drift', 'maintenance', 'drift'),
  box('noun', 'consoles of servers', 'consoles'),
  box('noun', 'servers', 'servers'),
  box('work', 'choose a node', 'placement'),
  box('work', 'metering', 'usage', 'traffic'),
  box('noun', 'statements', 'statements'),
  box('noun', 'webhooks', 'webhooks'),
  box('noun', 'images', 'images'),
  box('noun', 'nodes', 'nodes'),
  box('work', 'confine instances', 'instances', 'network-policy', 'pool-quotas'),
  box('noun', 'sizes and prices', 'sizes'),
  box('noun', 'where servers run', 'locations', 'address-pools', 'operating-systems'),
  {
    ...{ kind: 'noun', about: 'people and projects', takesOthers: true },
    folders: [
      ...['users', 'setup', 'sessions', 'passkeys', 'identities', 'confirmation', 'tokens'],
      'projects',
      'device-authorizations',
    ],
  },
  box('noun', 'settings of the installation', 'settings'),
  box('request', 'make a change', 'changes'),
  box('noun', 'audit log, events', 'audit', 'events'),
  box('request', 'authentication', 'access'),
  box('request', 'limits', 'limits'),
  box('work', 'remove old records', 'retention'),
  { ...box('work', 'leases and steps', 'operations'), allArrows: true },
  box('work', 'run reconcilers', 'reconciler-runtime'),
  box('work', 'hash passwords', 'threads'),
  { ...box('work', 'client of Incus', 'incus'), allArrows: true },
  box('foundation', 'API schemas', 'contract'),
  box('foundation', 'callers, bodies, errors', 'callers', 'requests', 'problems'),
  box('foundation', 'labels, selectors', 'labels'),
  box('foundation', 'secrets', 'keys'),
  box('foundation', 'setup of new guests', 'guests'),
  box('foundation', 'PostgreSQL', 'db'),
  box('foundation', 'small utilities', 'lib'),
];
