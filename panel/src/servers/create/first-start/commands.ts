import { BerthError } from '@berth/client';

/** A command in the form. The key stays the same while the text changes. */
export interface CommandEntry {
  key: number;
  text: string;
}

/** What a server can be created with. */
export const mostCommands = 64;

/** With one more, in the place of a blank one at the end. */
export function withCommand(entries: readonly CommandEntry[], text: string): CommandEntry[] {
  const last = entries.at(-1);
  const kept = last && isBlank(last) ? entries.slice(0, -1) : entries;
  const key = Math.max(0, ...entries.map((one) => one.key)) + 1;
  return [...kept, { key, text }];
}

export const withText = (entries: readonly CommandEntry[], key: number, text: string) =>
  entries.map((entry) => (entry.key === key ? { key, text } : entry));

export const withoutCommand = (entries: readonly CommandEntry[], key: number) =>
  entries.filter((entry) => entry.key !== key);

/** The commands to send. Those that are left blank are none. */
export const commandsOf = (entries: readonly CommandEntry[]): string[] =>
  filled(entries).map(({ text }) => text);

const isBlank = ({ text }: CommandEntry) => text.trim() === '';
const filled = (entries: readonly CommandEntry[]) => entries.filter((one) => !isBlank(one));

/** What is wrong with which command that was sent, by its key. */
export function commandErrors(error: unknown, entries: readonly CommandEntry[]) {
  const found = new Map<number, string>();
  if (!(error instanceof BerthError)) return found;
  const sent = filled(entries);
  for (const { pointer = '', detail } of error.errors) {
    const index = /^\/initialCommands\/(\d+)(\/|$)/.exec(pointer)?.[1];
    const entry = index === undefined ? undefined : sent[Number(index)];
    if (entry && !found.has(entry.key)) found.set(entry.key, detail);
  }
  return found;
}
