import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type Dispatch,
  type SetStateAction,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { locationsQuery } from '../../api/queries.ts';
import { inBackground } from '../../background.ts';
import type { Server } from '../../live/apply.ts';
import { useIdle } from '../../shell/idle.ts';
import { ServerRow } from './row.tsx';
import { type Column, readSearch, type ServerSearch } from './search.ts';
import { sortedBy } from './sort.ts';
import classes from './table.module.css';

const headings: [Column, string][] = [
  ['name', 'Name'],
  ['status', 'Status'],
  ['address', 'Address'],
  ['size', 'Size'],
  ['location', 'Location'],
  ['created', 'Created'],
];
const rowHeight = 64;

interface TableProps {
  servers: readonly Server[];
  search: ServerSearch;
  selected: ReadonlySet<number>;
  select: Dispatch<SetStateAction<ReadonlySet<number>>>;
}

/** A table that has only the rows that can be seen, and empty ones in the place of the others. */
export function ServersTable({ servers, search, selected, select }: TableProps) {
  const { data: locations } = useQuery(locationsQuery);
  const names = new Map(locations?.map(({ id, name }) => [id, name]));
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const isIdle = useIdle();
  useLayoutEffect(() => setScrollMargin(body.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: servers.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => servers[index]?.id ?? index,
    // At first, nobody scrolls.
    overscan: isIdle ? 8 : 0,
    scrollMargin,
  });
  const rows = virtualizer.getVirtualItems();
  const before = (rows[0]?.start ?? scrollMargin) - scrollMargin;
  const after = virtualizer.getTotalSize() - ((rows.at(-1)?.end ?? scrollMargin) - scrollMargin);
  const chosen = servers.filter(({ id }) => selected.has(id)).length;
  const isAll = chosen === servers.length;
  const toggle = useCallback(
    (id: number) =>
      select((before) => {
        const changed = new Set(before);
        if (!changed.delete(id)) changed.add(id);
        return changed;
      }),
    [select],
  );
  return (
    <table className={classes.table} aria-rowcount={servers.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col" className={classes.select}>
            <input
              type="checkbox"
              className={classes.checkbox}
              aria-label="Select all servers"
              checked={isAll}
              ref={(box) => {
                // It has no attribute for this.
                if (box) box.indeterminate = chosen > 0 && !isAll;
              }}
              onChange={() => select(new Set(isAll ? [] : servers.map(({ id }) => id)))}
            />
          </th>
          {headings.map(([column, name]) => (
            <Heading key={column} column={column} name={name} search={search} />
          ))}
          <th scope="col" className={classes.actions}>
            <span className={classes.hidden}>Actions</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer height={before} />
        {rows.map(({ index, key }) => {
          const server = servers[index];
          if (!server) return null;
          return (
            <ServerRow
              key={String(key)}
              server={server}
              index={index + 2}
              location={names.get(server.location_id)}
              isSelected={selected.has(server.id)}
              toggle={toggle}
            />
          );
        })}
        <Spacer height={after} />
      </tbody>
    </table>
  );
}

function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={headings.length + 2} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

interface HeadingProps {
  column: Column;
  name: string;
  search: ServerSearch;
}

function Heading({ column, name, search }: HeadingProps) {
  const navigate = useNavigate();
  const { sort = '-created' } = search;
  const isSorted = sort.replace(/^-/, '') === column;
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  const click = () =>
    inBackground(
      navigate({
        to: '/servers',
        search: (current) => sortedBy(readSearch(current), column),
        replace: true,
      }),
    );
  return (
    <th scope="col" className={classes[column]} aria-sort={isSorted ? direction : undefined}>
      <UnstyledButton className={classes.heading} onClick={click}>
        {name}
        <span aria-hidden>{isSorted && (direction === 'ascending' ? ' ↑' : ' ↓')}</span>
      </UnstyledButton>
    </th>
  );
}
