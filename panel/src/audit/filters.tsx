import { Button, Group, Select, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { inBackground } from '../background.ts';
import { useTyped } from '../shell/typed.ts';
import { actionChoices, kindNames } from './actions.ts';
import { callerChoices, type Known } from './callers.ts';
import { type AuditSearch, dayOf, hasFilters, readAuditSearch } from './search.ts';

const pauseMs = 500;
const kindChoices = Object.entries(kindNames).map(([value, label]) => ({ value, label }));

interface FiltersProps {
  search: AuditSearch;
  known: Known;
}

/** The filters of the list, which are in the URL. */
export function Filters({ search, known }: FiltersProps) {
  const navigate = useNavigate();
  const change = (changed: Record<string, unknown>) =>
    inBackground(
      navigate({
        to: '/audit',
        search: (current) => readAuditSearch({ ...current, ...changed }),
        replace: true,
      }),
    );
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Audit log">
      <Select
        label="Who"
        placeholder="Anybody"
        flex="1 1 150px"
        maw={220}
        searchable
        nothingFoundMessage="Nobody of this name"
        clearable
        clearButtonProps={{ 'aria-label': 'Anybody' }}
        data={callerChoices(known, search.who)}
        value={search.who ?? null}
        onChange={(who) => change({ who })}
      />
      <Select
        label="Action"
        placeholder="Any"
        flex="1 1 150px"
        maw={240}
        searchable
        nothingFoundMessage="No such action"
        clearable
        clearButtonProps={{ 'aria-label': 'Any action' }}
        data={actionChoices}
        value={search.action ?? null}
        onChange={(action) => change({ action })}
      />
      <Select
        label="About"
        placeholder="Anything"
        flex="1 1 120px"
        maw={160}
        clearable
        clearButtonProps={{ 'aria-label': 'Anything' }}
        data={kindChoices}
        value={search.kind ?? null}
        onChange={(kind) => change({ kind, target: undefined })}
      />
      <Group gap="sm" flex="1 1 340px" maw={340}>
        <Day label="From" value={search.from} change={(from) => change({ from })} />
        <Day label="Until" value={search.to} change={(to) => change({ to })} />
      </Group>
      {hasFilters(search) && (
        <Button
          variant="subtle"
          onClick={() => inBackground(navigate({ to: '/audit', search: {}, replace: true }))}
        >
          Clear
        </Button>
      )}
    </Group>
  );
}

interface DayProps {
  label: string;
  value: string | undefined;
  change: (day: string) => void;
}

/** A day that is applied when somebody pauses typing, since each digit makes another day. */
function Day({ label, value = '', change }: DayProps) {
  const read = (day: string) => dayOf(day) ?? '';
  const [typed, type] = useTyped({ value, change, read, pauseMs });
  return (
    <TextInput
      type="date"
      label={label}
      flex="1 1 130px"
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}
