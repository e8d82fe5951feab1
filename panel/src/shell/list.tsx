import { Box, Table, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { inBackground } from '../background.ts';
import { Failure, Loading } from './messages.tsx';

export interface Column<Item> {
  name: string;
  show: (item: Item) => ReactNode;
}

interface ListProps<Item> {
  /** What is listed, such as `SSH keys`. */
  name: string;
  query: Pick<UseQueryResult<readonly Item[]>, 'data' | 'error' | 'refetch'>;
  columns: readonly Column<Item>[];
  /** What can be done with an item. */
  actions?: (item: Item) => ReactNode;
  /** In the place of a table without rows. */
  empty?: ReactNode;
  /** Below this width, the table scrolls. */
  minWidth?: number;
}

/** What was read as a table, or what is in its place. The first column names the rows. */
export function List<Item extends { id: number }>(props: ListProps<Item>) {
  const { name, query, columns, actions, empty, minWidth = 640 } = props;
  const { data, error, refetch } = query;
  if (error && !data) {
    const title = `The ${name} cannot be shown`;
    return <Failure title={title} error={error} retry={() => inBackground(refetch())} />;
  }
  if (!data) return <Loading />;
  if (data.length === 0 && empty) return empty;
  return (
    // It scrolls, also with keys. It is positioned, so that hidden texts in it do not make the page wider.
    <Table.ScrollContainer
      minWidth={minWidth}
      type="native"
      pos="relative"
      role="region"
      tabIndex={0}
      aria-label={`Table of ${name}`}
    >
      <Table verticalSpacing="sm" highlightOnHover aria-label={name}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.name} scope="col" fz="xs" c="dimmed">
                {column.name}
              </Table.Th>
            ))}
            {actions && (
              <Table.Th scope="col" w={1}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map((item) => (
            <Table.Tr key={item.id}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <Table.Th key={column.name} scope="row" fw={600}>
                    {/* A cell itself has no least width. */}
                    <Box miw={130} className="breaks">
                      {column.show(item)}
                    </Box>
                  </Table.Th>
                ) : (
                  <Table.Td key={column.name}>{column.show(item)}</Table.Td>
                ),
              )}
              {actions && <Table.Td ta="right">{actions(item)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
