import { NavLink, Text } from '@mantine/core';
import IconStack2 from '@tabler/icons-react/icons/IconStack2';
import { Link } from '@tanstack/react-router';

const links = [{ to: '/admin/nodes', name: 'Nodes', Icon: IconStack2 }] as const;

/** The pages about the whole installation, for administrators. */
export default function AdministrationLinks({ onChosen }: { onChosen: () => void }) {
  return (
    <>
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="lg" pb={4} id="administration">
        Administration
      </Text>
      <ul className="plain-list" aria-labelledby="administration">
        {links.map(({ to, name, Icon }) => (
          <li key={to}>
            <NavLink
              label={name}
              color="gray"
              leftSection={<Icon size={18} aria-hidden />}
              onClick={onChosen}
              renderRoot={(props) => (
                <Link to={to} activeProps={{ 'data-active': true }} {...props} />
              )}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
