import { Button, Group, Select } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { inBackground } from '../background.ts';
import { ServerSelect } from '../servers/select.tsx';
import { type EventSearch, hasFilters, readEventSearch } from './search.ts';
import { typeWords } from './type-words.ts';
import { projectTypes } from './types.ts';

const typeChoices = [
  { value: 'server', label: 'All about servers' },
  { value: 'operation', label: 'All about operations' },
  ...projectTypes.map((type) => ({ value: type as string, label: typeWords[type].name })),
];

/** The filters of the list, which are in the URL. */
export function Filters({ search }: { search: EventSearch }) {
  const navigate = useNavigate();
  const change = (changed: { type?: string | null; server?: number | null }) =>
    inBackground(
      navigate({
        to: '/events',
        search: (current) => readEventSearch({ ...current, ...changed }),
        replace: true,
      }),
    );
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Events">
      <Select
        label="Type"
        placeholder="Any"
        flex="1 1 180px"
        maw={260}
        searchable
        nothingFoundMessage="No such type"
        clearable
        clearButtonProps={{ 'aria-label': 'Any type' }}
        data={typeChoices}
        value={search.type ?? null}
        onChange={(type) => change({ type })}
      />
      <ServerSelect
        label="Server"
        value={search.server ?? null}
        onChange={(server) => change({ server })}
      />
      {hasFilters(search) && (
        <Button variant="subtle" onClick={() => change({ type: null, server: null })}>
          Clear
        </Button>
      )}
    </Group>
  );
}
