/** Pages that are reached by `g` and then a key. */
const places = {
  s: { to: '/servers', name: 'servers' },
  o: { to: '/operations', name: 'operations' },
  e: { to: '/events', name: 'events' },
  k: { to: '/ssh-keys', name: 'SSH keys' },
  t: { to: '/tokens', name: 'tokens' },
  w: { to: '/webhooks', name: 'webhooks' },
  a: { to: '/account', name: 'your account' },
} as const;

type Place = (typeof places)[keyof typeof places]['to'];
export type Command = { go: Place } | 'palette' | 'help' | 'create' | 'search';

const commands: Record<string, Command> = { '?': 'help', c: 'create', '/': 'search' };

interface Press {
  key: string;
  /** Ctrl, or Cmd on a Mac. */
  isWithCtrl: boolean;
  /** When, in milliseconds. */
  at: number;
}

/** How long after `g` the next key is part of the same. */
const mostMs = 3000;

/** What a key does, after one that was `g` at `wentAt`. Single keys are off in fields, and can be turned off. */
export function commandOf(
  { key, isWithCtrl, at }: Press,
  { wentAt, areSingleKeysOn }: { wentAt: number | undefined; areSingleKeysOn: boolean },
): Command | undefined {
  const letter = key.toLowerCase();
  if (isWithCtrl) return letter === 'k' ? 'palette' : undefined;
  if (!areSingleKeysOn) return undefined;
  if (wentAt === undefined || at - wentAt > mostMs) return commands[letter];
  return Object.hasOwn(places, letter)
    ? { go: places[letter as keyof typeof places].to }
    : undefined;
}

/** What somebody can create on a page. */
const creations = ['/servers/new', '/ssh-keys/new', '/tokens/new', '/webhooks/new'] as const;
export const creationOn = (path: string) =>
  creations.find((to) => path.startsWith(to.replace(/\/new$/, ''))) ?? creations[0];

/** The keys with what they do, for people. */
export const shortcuts = [
  { keys: ['Ctrl', 'K'], isAtOnce: true, name: 'Find a page, a server or an action' },
  { keys: ['/'], name: 'Search in the list' },
  { keys: ['c'], name: 'Create what the page lists, or a server' },
  ...Object.entries(places).map(([key, { name }]) => ({ keys: ['g', key], name: `Go to ${name}` })),
  { keys: ['?'], name: 'Show this list' },
] as const;
