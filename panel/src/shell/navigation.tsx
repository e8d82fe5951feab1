import { NavLink } from '@mantine/core';
import IconHistory from '@tabler/icons-react/icons/IconHistory';
import IconKey from '@tabler/icons-react/icons/IconKey';
import IconListCheck from '@tabler/icons-react/icons/IconListCheck';
import IconServer from '@tabler/icons-react/icons/IconServer';
import IconTicket from '@tabler/icons-react/icons/IconTicket';
import IconWebhook from '@tabler/icons-react/icons/IconWebhook';
import { Link } from '@tanstack/react-router';

export const links = [
  { to: '/servers', name: 'Servers', Icon: IconServer },
  { to: '/operations', name: 'Operations', Icon: IconListCheck },
  { to: '/events', name: 'Events', Icon: IconHistory },
  { to: '/ssh-keys', name: 'SSH keys', Icon: IconKey },
  { to: '/tokens', name: 'Tokens', Icon: IconTicket },
  { to: '/webhooks', name: 'Webhooks', Icon: IconWebhook },
] as const;

/** The pages about the project. */
export function Navigation({ onChosen }: { onChosen: () => void }) {
  return links.map(({ to, name, Icon }) => (
    <NavLink
      key={to}
      label={name}
      color="gray"
      leftSection={<Icon size={18} aria-hidden />}
      onClick={onChosen}
      renderRoot={(props) => <Link to={to} activeProps={{ 'data-active': true }} {...props} />}
    />
  ));
}
