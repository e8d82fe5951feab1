import { type PowerAction, powerActions, words } from '../servers/actions/actions.ts';

interface Typed {
  /** What the name of a server begins with. */
  name: string;
  /** The actions that were named before it. */
  actions: readonly PowerAction[];
}

/** `stop web` is about the action `stop` on servers whose names begin with `web`; names have no spaces. */
export function readTyped(typed: string): Typed {
  const [first = '', ...rest] = typed.trim().toLowerCase().split(/\s+/);
  const actions = powerActions.filter((action) => action.startsWith(first));
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

/** What can be done with servers now: what was asked for, or all if there are few servers. */
export function actionsFor<Server extends Able>(
  servers: readonly Server[],
  { actions }: Pick<Typed, 'actions'>,
) {
  const asked = actions.length > 0 ? actions : powerActions;
  if (actions.length === 0 && servers.length > mostWithActions) return [];
  return servers.flatMap((server) =>
    asked
      .filter((action) => server.allowed_actions.includes(action))
      .map((action) => ({ action, server, label: `${words[action].name} ${server.hostname}` })),
  );
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
