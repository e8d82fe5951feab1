import { Button, Group, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';

interface SearchProps {
  /** Selects a match, and returns whether there is one. */
  search: (text: string, isBackwards: boolean) => boolean;
  close: () => void;
}

/** Searches in the output: Enter finds the one before, as the latest output is at the end. */
export function SearchBar({ search, close }: SearchProps) {
  const [text, setText] = useState('');
  const [isFound, setFound] = useState(true);
  const find = (isBackwards: boolean) => {
    if (text !== '') setFound(search(text, isBackwards));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') find(!event.shiftKey);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  return (
    <Group gap="xs" role="search" aria-label="Output">
      <TextInput
        size="xs"
        aria-label="Search in the output"
        placeholder="Search"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setFound(true);
        }}
        onKeyDown={press}
        data-autofocus
        autoFocus
      />
      <Button variant="default" size="xs" onClick={() => find(true)}>
        Previous
      </Button>
      <Button variant="default" size="xs" onClick={() => find(false)}>
        Next
      </Button>
      <Button variant="default" size="xs" onClick={close}>
        Close
      </Button>
      <Text size="sm" role="status">
        {!isFound && 'It does not occur.'}
      </Text>
    </Group>
  );
}
