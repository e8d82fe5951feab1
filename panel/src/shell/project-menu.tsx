import { Button, Menu, Text } from '@mantine/core';
import IconCheck from '@tabler/icons-react/icons/IconCheck';
import IconChevronDown from '@tabler/icons-react/icons/IconChevronDown';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Project } from '../session/projects.ts';
import { chooseProject, type Session, sessionQuery } from '../session/session.ts';

/** The project that all pages are about, and a menu of the others. */
export function ProjectMenu({ session: { projects, project } }: { session: Session }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  if (!project) return null;
  if (projects.length === 1) return <Text size="sm">{project.name}</Text>;

  async function choose(chosen: Project): Promise<void> {
    chooseProject(chosen);
    await navigate({ to: '/servers' });
    queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' });
    await queries.invalidateQueries(sessionQuery);
  }

  return (
    <Menu
      position="bottom-start"
      width={240}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          aria-label={`Project: ${project.name}`}
        >
          {project.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="70vh" className="scrolls">
        <Menu.Label>Project</Menu.Label>
        {projects.map((one) => (
          <Menu.Item
            key={one.id}
            onClick={() => void choose(one)}
            rightSection={one.id === project.id && <IconCheck size={14} aria-label="chosen" />}
          >
            {one.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
