import type { Verb } from './cli.ts';

interface Noun {
  about: string;
  /** Each noun is loaded only when it is used, so that a command starts fast. */
  load(): Promise<Verb>;
  isHidden?: true;
}

/** The first word of a command, and the file that has it. */
export const nouns: Record<string, Noun> = {
  login: {
    about: 'Sign in to a Berth, and remember it as a context',
    load: async () => (await import('./contexts/login.ts')).login,
  },
  logout: {
    about: 'Forget a context and its token',
    load: async () => (await import('./contexts/logout.ts')).logout,
  },
  whoami: {
    about: 'Show the token in use, and what it allows',
    load: async () => (await import('./contexts/whoami.ts')).whoami,
  },
  context: {
    about: 'List and choose the services that you are signed in to',
    load: async () => (await import('./contexts/noun.ts')).context,
  },
  server: {
    about: 'Create, watch and control servers',
    load: async () => (await import('./servers/noun.ts')).server,
  },
  top: {
    about: 'Show the usage of all servers, live',
    load: async () => (await import('./servers/top.ts')).top,
  },
  'ssh-key': {
    about: 'Manage the SSH keys for new servers',
    load: async () => (await import('./ssh-keys/noun.ts')).sshKey,
  },
  webhook: {
    about: 'Have events sent to URLs, and see what was sent',
    load: async () => (await import('./webhooks/noun.ts')).webhook,
  },
  operation: {
    about: 'Follow what is being done, and see what was done',
    load: async () => (await import('./operations/noun.ts')).operation,
  },
  event: {
    about: 'Follow what happens, and see what has happened',
    load: async () => (await import('./events/noun.ts')).event,
  },
  location: {
    about: 'See where servers run, and how large they can be',
    load: async () => (await import('./locations/noun.ts')).location,
  },
  size: {
    about: 'See which sizes servers can have, and what they cost',
    load: async () => (await import('./sizes/noun.ts')).size,
  },
  os: {
    about: 'See what can be installed',
    load: async () => (await import('./operating-systems/noun.ts')).os,
  },
  image: {
    about: 'Import the images of operating systems to locations',
    load: async () => (await import('./operating-systems/images.ts')).image,
  },
  project: {
    about: 'Manage projects, and see their quotas',
    load: async () => (await import('./projects/noun.ts')).project,
  },
  member: {
    about: 'Manage who belongs to a project',
    load: async () => (await import('./projects/members.ts')).member,
  },
  token: {
    about: 'Create, list and revoke tokens of the API',
    load: async () => (await import('./tokens/noun.ts')).token,
  },
  user: {
    about: 'Manage the people who can sign in',
    load: async () => (await import('./users/noun.ts')).user,
  },
  node: {
    about: 'See nodes, and take them out of service',
    load: async () => (await import('./nodes/noun.ts')).node,
  },
  drift: {
    about: 'See what differs between Berth and Incus, and correct it',
    load: async () => (await import('./drift/noun.ts')).drift,
  },
  'address-pool': {
    about: 'Manage the addresses of servers',
    load: async () => (await import('./address-pools/noun.ts')).addressPool,
  },
  audit: {
    about: 'See who has changed what',
    load: async () => (await import('./audit/noun.ts')).audit,
  },
  statement: {
    about: 'See what a project has used in a month',
    load: async () => (await import('./statements/noun.ts')).statement,
  },
  settings: {
    about: 'See and change the settings of the installation',
    load: async () => (await import('./installation/settings.ts')).settings,
  },
  health: {
    about: 'See whether the service works',
    load: async () => (await import('./installation/health.ts')).health,
  },
  version: {
    about: 'Show the versions of this program and of the service',
    load: async () => (await import('./installation/version.ts')).versions,
  },
  metrics: {
    about: 'Print the metrics in the format of Prometheus',
    load: async () => (await import('./installation/metrics.ts')).metrics,
  },
  completion: {
    about: 'Print a script with which your shell completes commands and names',
    load: async () => (await import('./completion/verb.ts')).completion,
  },
};
