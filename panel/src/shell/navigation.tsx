import { Text } from '@mantine/core';
import IconFileText from '@tabler/icons-react/icons/IconFileText';
import IconGauge from '@tabler/icons-react/icons/IconGauge';
import IconHistory from '@tabler/icons-react/icons/IconHistory';
import IconKey from '@tabler/icons-react/icons/IconKey';
import IconListCheck from '@tabler/icons-react/icons/IconListCheck';
import IconReceipt from '@tabler/icons-react/icons/IconReceipt';
import IconServer from '@tabler/icons-react/icons/IconServer';
import IconTicket from '@tabler/icons-react/icons/IconTicket';
import IconUsers from '@tabler/icons-react/icons/IconUsers';
import IconWebhook from '@tabler/icons-react/icons/IconWebhook';
import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { sessionQuery } from '../session/session.ts';
import { useWhenIdle } from './later.ts';
import { PageLinks } from './page-links.tsx';

export const links = [
  { to: '/servers', name: 'Servers', Icon: IconServer },
  { to: '/operations', name: 'Operations', Icon: IconListCheck },
  { to: '/events', name: 'Events', Icon: IconHistory },
  { to: '/ssh-keys', name: 'SSH keys', Icon: IconKey },
  { to: '/tokens', name: 'Tokens', Icon: IconTicket },
  { to: '/webhooks', name: 'Webhooks', Icon: IconWebhook },
] as const;

/** About the project as a whole. */
export const projectLinks = [
  { to: '/members', name: 'Members', Icon: IconUsers },
  { to: '/quota', name: 'Quota', Icon: IconGauge },
  { to: '/audit', name: 'Audit log', Icon: IconFileText },
  { to: '/statement', name: 'Statement', Icon: IconReceipt },
] as const;

interface NavigationProps {
  onChosen: () => void;
}

/** Others do not load it, and no page waits for it. */
const Administration = lazyRouteComponent(
  () => import('../admin/navigation.tsx'),
  'AdministrationLinks',
);

/** The pages about the project, and for administrators those about the installation. */
export function Navigation({ onChosen }: NavigationProps) {
  const { data: session } = useQuery(sessionQuery);
  const hasAdministration = useWhenIdle(Administration);
  return (
    <>
      <PageLinks links={links} onChosen={onChosen} />
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="lg" pb={4} id="project-links">
        Project
      </Text>
      <PageLinks links={projectLinks} onChosen={onChosen} labelledBy="project-links" />
      {hasAdministration && session?.user.is_admin && <Administration onChosen={onChosen} />}
    </>
  );
}
