import { Button, Group, Select } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { inBackground } from '../background.ts';
import {
  hasFilters,
  kindNames,
  type OperationSearch,
  readOperationSearch,
  statusNames,
} from './search.ts';

const choices = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** The filters of the list, which are in the URL. */
export function Filters({ search }: { search: OperationSearch }) {
  const navigate = useNavigate();
  const change = (changed: { status?: string | null; kind?: string | null }) =>
    inBackground(
      navigate({
        to: '/operations',
        search: (current) => readOperationSearch({ ...current, ...changed }),
        replace: true,
      }),
    );
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Operations">
      <Select
        label="Status"
        placeholder="Any"
        flex="1 1 130px"
        maw={180}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={choices(statusNames)}
        value={search.status ?? null}
        onChange={(status) => change({ status })}
      />
      <Select
        label="Kind"
        placeholder="Any"
        flex="1 1 160px"
        maw={260}
        searchable
        nothingFoundMessage="No such kind"
        clearable
        clearButtonProps={{ 'aria-label': 'Any kind' }}
        data={choices(kindNames)}
        value={search.kind ?? null}
        onChange={(kind) => change({ kind })}
      />
      {hasFilters(search) && (
        <Button variant="subtle" onClick={() => change({ status: null, kind: null })}>
          Clear
        </Button>
      )}
    </Group>
  );
}
