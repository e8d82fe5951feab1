import { Alert, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { inWords } from '../api/words.ts';
import classes from './chooser.module.css';
import type { Entry, EntryGroup } from './use-entries.ts';

interface ChooserProps {
  typed: string;
  setTyped: (typed: string) => void;
  groups: readonly EntryGroup[];
  error: unknown;
  isSearching: boolean;
  choose: (entry: Entry) => void;
}

/** Until somebody has typed something, or moved, Enter does nothing. */
const none = -1;

/** Where a key leads to, from the end to the beginning and back. */
function indexAfter(key: string, index: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return index <= 0 ? count - 1 : index - 1;
  return undefined;
}

/** A field with the entries that match, one of which is chosen with the keyboard or the mouse (WAI-ARIA, combobox). */
export function Chooser({ typed, setTyped, groups, error, isSearching, choose }: ChooserProps) {
  const listId = useId();
  const [at, setAt] = useState(none);
  const entries = groups.flatMap((group) => group.entries);
  const index = Math.min(at, entries.length - 1);
  const selected = entries[index];
  const idOf = (entry: Entry) => `${listId}-${entry.id}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const to = indexAfter(event.key, index, entries.length);
    if (event.nativeEvent.isComposing) return;
    if (to !== undefined) setAt(to);
    else if (event.key === 'Enter' && selected) choose(selected);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        role="combobox"
        aria-label="Find"
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={selected && idOf(selected)}
        placeholder="web-1, stop web-1, tokens"
        autoComplete="off"
        spellCheck={false}
        maxLength={253}
        data-autofocus
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(currentTarget.value.trim() === '' ? none : 0);
        }}
        onKeyDown={onKeyDown}
      />
      {error !== null && (
        <Alert color="red" variant="outline" role="alert" mt="sm">
          {inWords(error)}
        </Alert>
      )}
      <Text size="sm" c="dimmed" mt="sm" role="status">
        {entries.length === 0 && (isSearching ? 'Searching' : 'Nothing has a name that begins so')}
      </Text>
      <div id={listId} role="listbox" aria-label="Found" className={classes.list}>
        {groups.map(({ name, entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is not a part of a list box
          <div key={name} role="group" aria-label={name}>
            <Text size="xs" c="dimmed" fw={600} px="xs" pt="xs" role="presentation">
              {name}
            </Text>
            {entries.map((entry) => (
              <Option
                key={entry.id}
                id={idOf(entry)}
                entry={entry}
                isSelected={entry === selected}
                choose={() => choose(entry)}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

interface OptionProps {
  id: string;
  entry: Entry;
  isSelected: boolean;
  choose: () => void;
}

function Option({ id, entry: { label, detail }, isSelected, choose }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      className={classes.option}
      onClick={choose}
    >
      <span className="breaks">{label}</span>
      {detail && <span className={classes.detail}>{detail}</span>}
    </div>
  );
}
