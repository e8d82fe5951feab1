import { ActionIcon, Group, NativeSelect } from '@mantine/core';
import IconChevronLeft from '@tabler/icons-react/icons/IconChevronLeft';
import IconChevronRight from '@tabler/icons-react/icons/IconChevronRight';
import { monthAfter, monthName, monthsFrom } from './months.ts';

interface MonthPickerProps {
  month: string;
  /** The month in which the project was created. */
  first: string;
  current: string;
  choose: (month: string) => void;
}

/** A month since the project exists, in UTC. */
export function MonthPicker({ month, first, current, choose }: MonthPickerProps) {
  const [earliest, latest] = [month < first ? month : first, month > current ? month : current];
  const months = monthsFrom(earliest, latest);
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionIcon
        variant="default"
        size="input-sm"
        aria-label="The month before"
        disabled={month <= earliest}
        onClick={() => choose(monthAfter(month, -1))}
      >
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <NativeSelect
        aria-label="Month"
        data={months.map((value) => ({ value, label: monthName(value) }))}
        value={month}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <ActionIcon
        variant="default"
        size="input-sm"
        aria-label="The month after"
        disabled={month >= current}
        onClick={() => choose(monthAfter(month, 1))}
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
