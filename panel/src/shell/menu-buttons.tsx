import { ActionIcon, Button } from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/icons/IconChevronDown';
import IconUser from '@tabler/icons-react/icons/IconUser';
import type { Project } from '../session/projects.ts';
import type { Session } from '../session/session.ts';
import type { MenuButtonProps } from './menu-when-idle.tsx';

export function ProjectButton({ project, ...props }: MenuButtonProps & { project: Project }) {
  return (
    <Button
      variant="default"
      size="xs"
      rightSection={<IconChevronDown size={14} aria-hidden />}
      aria-label={`Project: ${project.name}`}
      {...props}
    >
      {project.name}
    </Button>
  );
}

export function PersonButton({ user, ...props }: MenuButtonProps & Pick<Session, 'user'>) {
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={`Menu of ${user.name || user.email}`}
      {...props}
    >
      <IconUser size={18} aria-hidden />
    </ActionIcon>
  );
}
