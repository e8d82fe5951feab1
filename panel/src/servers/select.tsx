import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { foundServersQuery } from './find.ts';
import { serverQuery } from './one/queries.ts';

const typingMs = 200;

interface SelectProps {
  label: string;
  /** The ID of the chosen server. */
  value: number | null;
  onChange: (id: number | null) => void;
}

/** A choice of a server, which is found by the beginning of its name. */
export function ServerSelect({ label, value, onChange }: SelectProps) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, typingMs);
  const { data: chosen } = useQuery({ ...serverQuery(value ?? 0), enabled: value !== null });
  const name = chosen?.hostname;
  // Its name is known later than its ID, which is in the URL.
  useEffect(() => {
    if (name) setTyped(name);
  }, [name]);
  const { data: found = [] } = useQuery({
    ...foundServersQuery(name === q ? '' : q.trim()),
    placeholderData: keepPreviousData,
  });
  const choices = new Map(found.map(({ id, hostname }) => [String(id), hostname]));
  // A server that was deleted still has events.
  if (value !== null) {
    const id = String(value);
    choices.set(id, name ?? choices.get(id) ?? `server ${id}`);
  }
  return (
    <Select
      label={label}
      placeholder="Any"
      flex="1 1 180px"
      maw={260}
      searchable
      // The service has searched.
      filter={({ options }) => options}
      nothingFoundMessage="No server has a name that begins so"
      clearable
      clearButtonProps={{ 'aria-label': 'Any server' }}
      data={[...choices].map(([id, name]) => ({ value: id, label: name }))}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      searchValue={typed}
      onSearchChange={setTyped}
    />
  );
}
