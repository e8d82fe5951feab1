import { ActionIcon, Group, TextInput } from '@mantine/core';
import IconX from '@tabler/icons-react/icons/IconX';
import type { Row } from './rows.ts';

interface RowProps {
  row: Row;
  /** Its place, counted from 1. */
  number: number;
  error: string | undefined;
  change: (changed: Partial<Row>) => void;
  remove: () => void;
}

export function LabelRow({ row, number, error, change, remove }: RowProps) {
  const { key, value } = row;
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <TextInput
        flex={1}
        aria-label={`Key of label ${number}`}
        placeholder="key"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={key}
        onChange={({ currentTarget }) => change({ key: currentTarget.value.trim() })}
        error={error}
      />
      <TextInput
        flex={1}
        aria-label={`Value of label ${number}`}
        placeholder="value"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={value}
        onChange={({ currentTarget }) => change({ value: currentTarget.value.trim() })}
        error={error !== undefined}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Remove ${key ? `the label ${key}` : `label ${number}`}`}
        onClick={remove}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
