import { type PowerAction, powerActions, words } from '../servers/actions/actions.ts';

/** What the page of a server leads to. */
const serverPages = ['console', 'settings'] as const;
type ServerPage = (typeof serverPages)[number];
type Wanted = PowerAction | ServerPage;
const allWanted: readonly Wanted[] = [...powerActions, ...serverPages];

export const isPage = (wanted: Wanted): wanted is ServerPage =>
  serverPages.some((page) => page === wanted);

interface Typed {
  /** What the name of a server begins with. */
  name: string;
  /** The actions and pages that were named before it. */
  actions: readonly Wanted[];
}

/** `stop web` is about the action `stop` on servers whose names begin with `web`; names have no spaces. */
export function readTyped(typed: string): Typed {
  const [first = '', ...rest] = typed.trim().toLowerCase().split(/\s+/);
  const actions = allWanted.filter((action) => action.startsWith(first));
  if (rest.length === 1 && actions.length > 0) return { name: rest[0] ?? '', actions };
  return { name: rest.length === 0 ? first : '', actions: [] };
}

/** Those whose names begin so. */
export const serversNamed = <Server extends { hostname: string }>(
  servers: readonly Server[],
  name: string,
): Server[] =>
  name === '' ? [] : servers.filter(({ hostname }) => hostname.toLowerCase().startsWith(name));

/** With more servers, each with its actions, nobody finds anything. */
const mostWithActions = 3;

interface Able {
  id: number;
  hostname: string;
  allowed_actions: readonly string[];
}

/** What can be done with servers now, and their pages: what was asked for, or all if there are few servers. */
export function actionsFor<Server extends Able>(
  servers: readonly Server[],
  { actions }: Pick<Typed, 'actions'>,
) {
  const asked = actions.length > 0 ? actions : allWanted;
  if (actions.length === 0 && servers.length > mostWithActions) return [];
  return servers.flatMap((server) =>
    asked
      .filter((action) => isPage(action) || server.allowed_actions.includes(action))
      .map((action) => ({ action, server, label: labelOf(action, server) })),
  );
}

function labelOf(action: Wanted, { hostname }: Able): string {
  if (action === 'console') return `Console of ${hostname}`;
  if (action === 'settings') return `Settings of ${hostname}`;
  return `${words[action].name} ${hostname}`;
}

/** Those whose labels have words that begin with all that was typed. */
export function matching<Entry extends { label: string }>(
  entries: readonly Entry[],
  typed: string,
): Entry[] {
  const wanted = wordsOf(typed);
  return entries.filter(({ label }) => {
    const has = wordsOf(label);
    return wanted.every((word) => has.some((one) => one.startsWith(word)));
  });
}

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);
