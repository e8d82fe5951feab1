import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import IconSearch from '@tabler/icons-react/icons/IconSearch';
import { useNavigate } from '@tanstack/react-router';
import { inBackground } from '../../background.ts';
import { useTyped } from '../../shell/typed.ts';
import { allStatuses, hasFilters, readSearch, type ServerSearch, type Status } from './search.ts';

/** The filters of the list, which are in the URL. */
export function Filters({ search }: { search: ServerSearch }) {
  const navigate = useNavigate();
  const change = (changed: { [Key in keyof ServerSearch]: ServerSearch[Key] | undefined }) =>
    inBackground(
      navigate({
        to: '/servers',
        search: (current) => readSearch({ ...current, ...changed }),
        replace: true,
      }),
    );
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Servers">
      <TypedFilter
        label="Name"
        placeholder="Begins with"
        value={search.q ?? ''}
        onChange={(q) => change({ q })}
      />
      <NativeSelect
        label="Status"
        flex="1 1 130px"
        maw={{ xs: 180 }}
        data={[{ value: '', label: 'Any' }, ...allStatuses]}
        value={search.status ?? ''}
        onChange={({ currentTarget }) =>
          change({ status: (currentTarget.value as Status) || undefined })
        }
      />
      <TypedFilter
        label="Labels"
        placeholder="env=prod,team!=web"
        value={search.labels ?? ''}
        onChange={(labels) => change({ labels })}
      />
      {hasFilters(search) && (
        <Button
          variant="subtle"
          onClick={() => change({ q: undefined, status: undefined, labels: undefined })}
        >
          Clear
        </Button>
      )}
    </Group>
  );
}

interface TypedProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

/** A filter that is applied when somebody pauses typing. */
function TypedFilter({ label, placeholder, value, onChange }: TypedProps) {
  const [typed, type] = useTyped({ value, change: onChange });
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      leftSection={label === 'Name' && <IconSearch size={16} aria-hidden />}
      flex="1 1 160px"
      maw={{ xs: 260 }}
      maxLength={253}
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}
