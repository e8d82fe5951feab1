import { Button, Group, Select, TextInput } from '@mantine/core';
import IconSearch from '@tabler/icons-react/icons/IconSearch';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { locationsQuery } from '../../api/queries.ts';
import { inBackground } from '../../background.ts';
import { useTyped } from '../../shell/typed.ts';
import { hasFilters, type NodeSearch, readNodeSearch, statusWords } from './search.ts';

/** The filters of the nodes, which are in the URL. */
export function Filters({ search }: { search: NodeSearch }) {
  const navigate = useNavigate();
  const { data: locations = [] } = useQuery(locationsQuery);
  const change = (changed: { [Key in keyof NodeSearch]: unknown }) =>
    inBackground(
      navigate({
        to: '/admin/nodes',
        search: (current) => readNodeSearch({ ...current, ...changed }),
        replace: true,
      }),
    );
  const [typed, type] = useTyped({ value: search.q ?? '', change: (q) => change({ q }) });
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Nodes">
      <TextInput
        label="Name"
        placeholder="Begins with"
        leftSection={<IconSearch size={16} aria-hidden />}
        flex="1 1 160px"
        maw={260}
        maxLength={253}
        value={typed}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      <Select
        label="Status"
        placeholder="Any"
        flex="1 1 130px"
        maw={180}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={Object.keys(statusWords)}
        value={search.status ?? null}
        onChange={(status) => change({ status })}
      />
      {locations.length > 1 && (
        <Select
          label="Location"
          placeholder="Any"
          flex="1 1 130px"
          maw={180}
          clearable
          clearButtonProps={{ 'aria-label': 'Any location' }}
          data={locations.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={search.location ? String(search.location) : null}
          onChange={(location) => change({ location })}
        />
      )}
      {hasFilters(search) && (
        <Button
          variant="subtle"
          onClick={() => change({ q: undefined, status: undefined, location: undefined })}
        >
          Clear
        </Button>
      )}
    </Group>
  );
}
