import IconArrowsDiff from '@tabler/icons-react/icons/IconArrowsDiff';
import IconDimensions from '@tabler/icons-react/icons/IconDimensions';
import IconDisc from '@tabler/icons-react/icons/IconDisc';
import IconFolder from '@tabler/icons-react/icons/IconFolder';
import IconHeartbeat from '@tabler/icons-react/icons/IconHeartbeat';
import IconMapPin from '@tabler/icons-react/icons/IconMapPin';
import IconNetwork from '@tabler/icons-react/icons/IconNetwork';
import IconSettings from '@tabler/icons-react/icons/IconSettings';
import IconStack2 from '@tabler/icons-react/icons/IconStack2';
import IconUsers from '@tabler/icons-react/icons/IconUsers';

/** The pages about the whole installation, for administrators. */
export const pages = [
  { to: '/admin/nodes', name: 'Nodes', Icon: IconStack2 },
  { to: '/admin/health', name: 'Health', Icon: IconHeartbeat },
  { to: '/admin/projects', name: 'Projects', Icon: IconFolder },
  { to: '/admin/users', name: 'Users', Icon: IconUsers },
  { to: '/admin/drift', name: 'Drift', Icon: IconArrowsDiff },
  { to: '/admin/locations', name: 'Locations', Icon: IconMapPin },
  { to: '/admin/address-pools', name: 'Address pools', Icon: IconNetwork },
  { to: '/admin/operating-systems', name: 'Operating systems', Icon: IconDisc },
  { to: '/admin/sizes', name: 'Sizes', Icon: IconDimensions },
  { to: '/admin/settings', name: 'Settings', Icon: IconSettings },
] as const;
