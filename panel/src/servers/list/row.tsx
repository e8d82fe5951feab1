import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { counted, disk, memory } from '../../format/units.ts';
import type { Server } from '../../live/apply.ts';
import { Time } from '../../shell/time.tsx';
import { ActionIcons } from '../actions/icons.tsx';
import { ServerStatus } from '../status.tsx';
import { addressOf } from './sort.ts';
import classes from './table.module.css';

interface RowProps {
  server: Server;
  /** The number of the row in the whole table, counted from 1. */
  index: number;
  location: string | undefined;
  isSelected: boolean;
  toggle: (id: number) => void;
}

/**
 * It is drawn again only if it has changed, because events change others all the time. It consists of plain elements,
 * which are drawn several times faster than components of Mantine.
 */
export const ServerRow = memo(function ServerRow(props: RowProps) {
  const { server, index, location, isSelected, toggle } = props;
  const { id, hostname, os, specifications, created_at, labels } = server;
  const address = addressOf(server);
  const shown = Object.entries(labels).map(([key, value]) => (value ? `${key}=${value}` : key));
  return (
    <tr aria-rowindex={index} data-selected={isSelected || undefined}>
      <td className={classes.select}>
        <input
          type="checkbox"
          className={classes.checkbox}
          aria-label={`Select ${hostname}`}
          checked={isSelected}
          onChange={() => toggle(id)}
        />
      </td>
      <td className={classes.name}>
        <Link
          to="/servers/$id"
          params={{ id: String(id) }}
          className={classes.hostname}
          title={hostname}
        >
          {hostname}
        </Link>
        <div className={classes.secondary} title={shown.join(', ')}>
          <span className={classes.wide}>{[os, ...shown].join(' · ')}</span>
          <span className={classes.narrow}>{address ?? os}</span>
        </div>
      </td>
      <td className={classes.status}>
        <ServerStatus server={server} />
      </td>
      <td className={`${classes.address} ${classes.monospace}`}>{address}</td>
      <td className={classes.size}>
        <div>{counted(specifications.cpu, 'core')}</div>
        <div className={classes.secondary}>
          {memory(specifications.ram)} · {disk(specifications.disk)}
        </div>
      </td>
      <td className={classes.location}>{location}</td>
      <td className={`${classes.created} ${classes.dimmed}`}>
        <Time at={created_at} relative />
      </td>
      <td className={classes.actions}>
        <ActionIcons server={server} />
      </td>
    </tr>
  );
});
