import { Anchor, Checkbox, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { counted, disk, memory } from '../../format/units.ts';
import type { Server } from '../../live/apply.ts';
import { Time } from '../../shell/time.tsx';
import { ActionIcons } from '../actions/buttons.tsx';
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

/** It is drawn again only if it has changed, because events change others all the time. */
export const ServerRow = memo(function ServerRow(props: RowProps) {
  const { server, index, location, isSelected, toggle } = props;
  const { id, hostname, os, specifications, created_at, labels } = server;
  const shown = Object.entries(labels).map(([key, value]) => (value ? `${key}=${value}` : key));
  return (
    <tr aria-rowindex={index} data-selected={isSelected || undefined}>
      <td className={classes.select}>
        <Checkbox
          aria-label={`Select ${hostname}`}
          checked={isSelected}
          onChange={() => toggle(id)}
        />
      </td>
      <td className={classes.name}>
        <Anchor
          fw={500}
          size="sm"
          truncate
          display="block"
          title={hostname}
          renderRoot={(props) => <Link to="/servers/$id" params={{ id: String(id) }} {...props} />}
        >
          {hostname}
        </Anchor>
        <Text size="xs" c="dimmed" truncate title={shown.join(', ')}>
          {[os, ...shown].join(' · ')}
        </Text>
      </td>
      <td className={classes.status}>
        <ServerStatus server={server} />
      </td>
      <td className={classes.address}>
        <Text size="sm" ff="monospace" truncate>
          {addressOf(server)}
        </Text>
      </td>
      <td className={classes.size}>
        <Text size="sm">{counted(specifications.cpu, 'core')}</Text>
        <Text size="xs" c="dimmed">
          {memory(specifications.ram)} · {disk(specifications.disk)}
        </Text>
      </td>
      <td className={classes.location}>
        <Text size="sm" truncate>
          {location}
        </Text>
      </td>
      <td className={classes.created}>
        <Text size="sm" c="dimmed" component="span">
          <Time at={created_at} relative />
        </Text>
      </td>
      <td className={classes.actions}>
        <ActionIcons server={server} />
      </td>
    </tr>
  );
});
