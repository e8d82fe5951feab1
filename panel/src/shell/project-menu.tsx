import { Menu } from '@mantine/core';
import IconCheck from '@tabler/icons-react/icons/IconCheck';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { inBackground } from '../background.ts';
import type { Project } from '../session/projects.ts';
import { chooseProject, sessionQuery } from '../session/session.ts';
import { useOpened } from './later.ts';
import { ProjectButton } from './menu-buttons.tsx';
import type { MenuProps } from './menu-when-idle.tsx';

/** The project that all pages are about, and a menu of the others. */
export function ProjectMenu({ session: { projects, project }, isOpen, onChange }: MenuProps) {
  const opened = useOpened(isOpen);
  const queries = useQueryClient();
  const navigate = useNavigate();
  if (!project) return null;

  async function choose(chosen: Project): Promise<void> {
    chooseProject(chosen);
    await navigate({ to: '/servers' });
    queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' });
    await queries.invalidateQueries(sessionQuery);
  }

  return (
    <Menu
      opened={opened}
      onChange={onChange}
      position="bottom-start"
      width={240}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ProjectButton project={project} autoFocus={isOpen} />
      </Menu.Target>
      <Menu.Dropdown mah="70vh" className="scrolls">
        <Menu.Label>Project</Menu.Label>
        {projects.map((one) => (
          <Menu.Item
            key={one.id}
            onClick={() => inBackground(choose(one))}
            rightSection={one.id === project.id && <IconCheck size={14} aria-label="chosen" />}
          >
            {one.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
