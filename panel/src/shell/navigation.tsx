import { NavLink } from '@mantine/core';
import IconKey from '@tabler/icons-react/icons/IconKey';
import IconListCheck from '@tabler/icons-react/icons/IconListCheck';
import IconServer from '@tabler/icons-react/icons/IconServer';
import IconTicket from '@tabler/icons-react/icons/IconTicket';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { sessionQuery } from '../session/session.ts';

const links = [
  { to: '/servers', name: 'Servers', Icon: IconServer },
  { to: '/operations', name: 'Operations', Icon: IconListCheck },
  { to: '/ssh-keys', name: 'SSH keys', Icon: IconKey },
  { to: '/tokens', name: 'Tokens', Icon: IconTicket },
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
