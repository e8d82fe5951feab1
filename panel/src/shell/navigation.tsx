import { NavLink, Text } from '@mantine/core';
import IconGauge from '@tabler/icons-react/icons/IconGauge';
import IconHistory from '@tabler/icons-react/icons/IconHistory';
import IconKey from '@tabler/icons-react/icons/IconKey';
import IconListCheck from '@tabler/icons-react/icons/IconListCheck';
import IconReceipt from '@tabler/icons-react/icons/IconReceipt';
import IconServer from '@tabler/icons-react/icons/IconServer';
import IconTicket from '@tabler/icons-react/icons/IconTicket';
import IconUsers from '@tabler/icons-react/icons/IconUsers';
import { Link } from '@tanstack/react-router';

const links = [
  { to: '/servers', name: 'Servers', Icon: IconServer },
  { to: '/operations', name: 'Operations', Icon: IconListCheck },
  { to: '/ssh-keys', name: 'SSH keys', Icon: IconKey },
  { to: '/tokens', name: 'Tokens', Icon: IconTicket },
] as const;

/** About the project as a whole. */
const projectLinks = [
  { to: '/members', name: 'Members', Icon: IconUsers },
  { to: '/quota', name: 'Quota', Icon: IconGauge },
  { to: '/audit', name: 'Audit log', Icon: IconHistory },
  { to: '/statement', name: 'Statement', Icon: IconReceipt },
] as const;

interface NavigationProps {
  onChosen: () => void;
}

/** The pages about the project. */
export function Navigation({ onChosen }: NavigationProps) {
  return (
    <>
      <Links links={links} onChosen={onChosen} />
      <Text size="xs" c="dimmed" fw={500} mt="md" mb={4} px="sm" id="project-links">
        Project
      </Text>
      <section aria-labelledby="project-links">
        <Links links={projectLinks} onChosen={onChosen} />
      </section>
    </>
  );
}

interface LinksProps extends NavigationProps {
  links: typeof links | typeof projectLinks;
}

function Links({ links, onChosen }: LinksProps) {
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
