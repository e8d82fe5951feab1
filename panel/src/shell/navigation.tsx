import { NavLink } from '@mantine/core';
import IconHistory from '@tabler/icons-react/icons/IconHistory';
import IconKey from '@tabler/icons-react/icons/IconKey';
import IconListCheck from '@tabler/icons-react/icons/IconListCheck';
import IconServer from '@tabler/icons-react/icons/IconServer';
import IconTicket from '@tabler/icons-react/icons/IconTicket';
import IconWebhook from '@tabler/icons-react/icons/IconWebhook';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { sessionQuery } from '../session/session.ts';

export const links = [
  { to: '/servers', name: 'Servers', Icon: IconServer },
  { to: '/operations', name: 'Operations', Icon: IconListCheck },
  { to: '/events', name: 'Events', Icon: IconHistory },
  { to: '/ssh-keys', name: 'SSH keys', Icon: IconKey },
  { to: '/tokens', name: 'Tokens', Icon: IconTicket },
  { to: '/webhooks', name: 'Webhooks', Icon: IconWebhook },
] as const;

/** Others do not load it. */
const Administration = lazy(() => import('../admin/navigation.tsx'));

/** The pages about the project, and for administrators those about the installation. */
export function Navigation({ onChosen }: { onChosen: () => void }) {
  const { data: session } = useQuery(sessionQuery);
  return (
    <>
      {links.map(({ to, name, Icon }) => (
        <NavLink
          key={to}
          label={name}
          color="gray"
          leftSection={<Icon size={18} aria-hidden />}
          onClick={onChosen}
          renderRoot={(props) => <Link to={to} activeProps={{ 'data-active': true }} {...props} />}
        />
      ))}
      {session?.user.is_admin && (
        <Suspense>
          <Administration onChosen={onChosen} />
        </Suspense>
      )}
    </>
  );
}
