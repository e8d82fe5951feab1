import { Link } from '@tanstack/react-router';
import { useMayChange } from '../../session/may-change.ts';
import classes from './tabs.module.css';

/** Leads to the parts of the page of a server. Viewers have only one. */
export function Tabs({ serverId }: { serverId: number }) {
  const params = { id: String(serverId) };
  if (!useMayChange()) return null;
  return (
    <nav aria-label="Parts of the server" className={classes.tabs}>
      <Link to="/servers/$id" params={params} activeOptions={{ exact: true, includeSearch: false }}>
        Overview
      </Link>
      <Link to="/servers/$id/settings" params={params}>
        Settings
      </Link>
    </nav>
  );
}
