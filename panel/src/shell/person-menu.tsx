import { Menu, Text, useMantineColorScheme } from '@mantine/core';
import IconDeviceDesktop from '@tabler/icons-react/icons/IconDeviceDesktop';
import IconLogout from '@tabler/icons-react/icons/IconLogout';
import IconMoon from '@tabler/icons-react/icons/IconMoon';
import IconSun from '@tabler/icons-react/icons/IconSun';
import IconUserCog from '@tabler/icons-react/icons/IconUserCog';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sayFailed } from '../servers/actions/toasts.tsx';
import { useLeave } from '../session/leave.ts';
import { signOut } from '../session/session.ts';
import { useOpened } from './later.ts';
import { PersonButton } from './menu-buttons.tsx';
import type { MenuProps } from './menu-when-idle.tsx';

const schemes = [
  { scheme: 'auto', name: 'As the system', Icon: IconDeviceDesktop },
  { scheme: 'light', name: 'Light', Icon: IconSun },
  { scheme: 'dark', name: 'Dark', Icon: IconMoon },
] as const;

/** Who is signed in, their account, the colours, and signing out. */
export function PersonMenu({ session: { user }, isOpen, onChange }: MenuProps) {
  const opened = useOpened(isOpen);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = useLeave();
  const signingOut = useMutation({
    mutationFn: signOut,
    onSuccess: leave,
    onError: (error) => sayFailed('You are still signed in', error),
  });
  return (
    <Menu
      opened={opened}
      onChange={onChange}
      position="bottom-end"
      width={240}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <PersonButton user={user} autoFocus={isOpen} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name && <Text size="sm">{user.name}</Text>}
          <Text size="xs">{user.email}</Text>
        </Menu.Label>
        <Menu.Item
          leftSection={<IconUserCog size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/account" {...props} />}
        >
          Account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {schemes.map(({ scheme, name, Icon }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} aria-hidden />}
            aria-current={scheme === colorScheme}
            fw={scheme === colorScheme ? 700 : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => signingOut.mutate()}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
