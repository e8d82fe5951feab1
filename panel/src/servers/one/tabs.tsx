import { Link } from '@tanstack/react-router';
import { useMayChange } from '../../session/may-change.ts';
import classes from './tabs.module.css';

/** Leads to the parts of the page of a server. */
export function Tabs({ serverId }: { serverId: number }) {
  const params = { id: String(serverId) };
  const isAllowed = useMayChange();
  return (
    <nav aria-label="Parts of the server" className={classes.tabs}>
      <Link to="/servers/$id" params={params} activeOptions={{ exact: true, includeSearch: false }}>
        Overview
      </Link>
      {isAllowed && (
        <Link to="/servers/$id/settings" params={params}>
          Settings
        </Link>
      )}
    </nav>
  );
}
