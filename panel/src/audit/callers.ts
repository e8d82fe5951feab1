import type { Entry } from './queries.ts';

/** What is known about those who can be behind an entry. */
export interface Known {
  /** The ID of the viewer. */
  self: number;
  /** The names of users, by their IDs. Those who do not manage the members know none of the others. */
  users: ReadonlyMap<number, string>;
  tokens: ReadonlyMap<number, string>;
}

export interface Choice {
  value: string;
  label: string;
}

type Caller = Pick<Entry, 'source' | 'user_id' | 'token_id'>;

/** Who did what an entry is about: `you`, `Ada, with the token ci`, `Berth itself`. */
export function callerInWords({ source, user_id, token_id }: Caller, known: Known): string {
  if (source === 'berth') return 'Berth itself';
  if (source === 'command_line') return 'a command-line tool on the machine of Berth';
  const user = user_id === null ? undefined : userName(user_id, known);
  const token = token_id === null ? undefined : `the token ${tokenName(token_id, known)}`;
  if (user && token) return `${user}, with ${token}`;
  return user ?? token ?? 'somebody unknown';
}

export const userName = (id: number, { self, users }: Known): string =>
  id === self ? 'you' : (users.get(id) ?? `user ${id}`);

export const tokenName = (id: number, { tokens }: Known): string => tokens.get(id) ?? `${id}`;

/** The filter that selects the entries of the same caller. */
export function sameCaller({ user_id, token_id }: Caller): string | undefined {
  if (token_id !== null) return `token:${token_id}`;
  return user_id === null ? undefined : `user:${user_id}`;
}

/** The callers to choose from, and the chosen one even if it is not known. */
export function callerChoices(known: Known, chosen: string | undefined) {
  const people: Choice[] = [
    { value: `user:${known.self}`, label: 'You' },
    ...[...known.users]
      .filter(([id]) => id !== known.self)
      .map(([id, label]) => ({ value: `user:${id}`, label })),
  ];
  const tokens = [...known.tokens].map(([id, label]) => ({ value: `token:${id}`, label }));
  const isListed = [...people, ...tokens].some(({ value }) => value === chosen);
  const [by, id] = chosen?.split(':') ?? [];
  const other = chosen && !isListed && { value: chosen, label: `${by} ${id}` };
  if (other && by === 'user') people.push(other);
  if (other && by === 'token') tokens.push(other);
  return [
    { group: 'People', items: people },
    { group: 'Tokens', items: tokens },
  ].filter(({ items }) => items.length > 0);
}
