import { Burger, Text } from '@mantine/core';
import { lazyRouteComponent } from '@tanstack/react-router';
import icon from '../icon.svg';
import type { Session } from '../session/session.ts';
import { FindButton } from './find-button.tsx';
import { PersonButton, ProjectButton } from './menu-buttons.tsx';
import { MenuWhenIdle } from './menu-when-idle.tsx';
import classes from './shell.module.css';

const ProjectMenu = lazyRouteComponent(() => import('./project-menu.tsx'), 'ProjectMenu');
const PersonMenu = lazyRouteComponent(() => import('./person-menu.tsx'), 'PersonMenu');

/** Keeps its place when a dialog hides the scroll bar: a name of `react-remove-scroll`, which dialogs load. */
const besideScrollBar = 'right-scroll-bar-position';

export const navigationId = 'navigation';

interface HeaderProps {
  session: Session;
  /** Whether the navigation is open, where there is no room beside the page. */
  isOpen: boolean;
  toggle: () => void;
  find: () => void;
}

/** The top of each page: the project, the palette, and who is signed in. */
export function Header({ session, isOpen, toggle, find }: HeaderProps) {
  const { project, projects, user } = session;
  return (
    <header className={`${classes.header} ${besideScrollBar}`}>
      <div className={classes.part}>
        <Burger
          opened={isOpen}
          onClick={toggle}
          hiddenFrom="sm"
          size="sm"
          aria-expanded={isOpen}
          aria-controls={navigationId}
          aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
        />
        <img src={icon} alt="" width={24} height={24} />
        <Text fw={700} visibleFrom="xs">
          Berth
        </Text>
        {project && projects.length === 1 && <Text size="sm">{project.name}</Text>}
        {project && projects.length > 1 && (
          <MenuWhenIdle
            session={session}
            Menu={ProjectMenu}
            button={(props) => <ProjectButton project={project} {...props} />}
          />
        )}
      </div>
      <div className={classes.part}>
        {project && <FindButton onClick={find} />}
        <MenuWhenIdle
          session={session}
          Menu={PersonMenu}
          button={(props) => <PersonButton user={user} {...props} />}
        />
      </div>
    </header>
  );
}
