import { Table } from '@mantine/core';
import { Time } from '../../../shell/time.tsx';
import classes from './charts.module.css';
import type { Chart } from './charts.ts';

/** All values of the charts, the latest first. */
export function UsageTable({ charts }: { charts: readonly Chart[] }) {
  const columns = charts.flatMap(({ title, lines, shown }) =>
    lines.map(({ name, values }) => ({ heading: `${title} ${name}`.trim(), values, shown })),
  );
  const times = charts[0]?.times ?? [];
  const newest = times.map((seconds, index) => ({ seconds, index })).toReversed();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with keys.
    <section className={classes.table} tabIndex={0} aria-label="Usage as a table">
      <Table stickyHeader fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Beginning of the step</Table.Th>
            {columns.map(({ heading }) => (
              <Table.Th key={heading} scope="col">
                {heading}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {newest.map(({ seconds, index }) => (
            <Table.Tr key={seconds}>
              <Table.Th scope="row" fw={400}>
                <Time at={new Date(seconds * 1000).toISOString()} />
              </Table.Th>
              {columns.map(({ heading, values, shown }) => (
                <Table.Td key={heading}>{cell(values[index] ?? null, shown)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const cell = (value: number | null, shown: (value: number) => string) =>
  value === null ? 'unknown' : shown(value);
