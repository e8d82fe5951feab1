import { Alert, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { inBackground } from '../background.ts';
import { type CommandDialog, Commands } from '../commands/commands.tsx';
import { LiveProvider, useIsConnected } from '../live/live.tsx';
import { ActionsProvider } from '../servers/actions/provider.tsx';
import { sessionQuery } from '../session/session.ts';
import { Header, navigationId } from './header.tsx';
import { useWhenIdle } from './later.ts';
import { Empty } from './messages.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

// No page waits for them.
const Toasts = lazyRouteComponent(() => import('./toasts.tsx'), 'Toasts');
const ConfirmDialog = lazyRouteComponent(
  () => import('../session/confirm-dialog.tsx'),
  'ConfirmDialog',
);

/** The frame of each page: navigation, header, and what is said about the connection. */
export function Shell() {
  const [dialog, show] = useState<CommandDialog>();
  const { data: session } = useQuery(sessionQuery);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // Each page begins without the navigation over it.
  const [openedAt, openAt] = useState<string>();
  const isOpen = openedAt === path;
  const close = () => openAt(undefined);
  const hasToasts = useWhenIdle(Toasts);
  const hasConfirmation = useWhenIdle(ConfirmDialog);
  const router = useRouter();
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && close());
  useEffect(() => {
    // It has ended, so that the route leads to the page for signing in.
    if (session === null) inBackground(router.invalidate());
  }, [session, router]);
  if (!session) return null;
  const { project } = session;
  return (
    <div className={classes.frame} data-open={isOpen || undefined}>
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      {hasToasts && <Toasts />}
      {hasConfirmation && <ConfirmDialog />}
      <Header
        session={session}
        isOpen={isOpen}
        toggle={() => openAt(isOpen ? undefined : path)}
        find={() => show('palette')}
      />
      <nav className={classes.navigation} id={navigationId} aria-label="Main">
        <Navigation onChosen={close} />
      </nav>
      <main id="content" tabIndex={-1} className={classes.content}>
        {project ? (
          // Another project has other servers and events.
          <LiveProvider key={project.id}>
            <ActionsProvider>
              <Commands dialog={dialog} show={show} />
              <ConnectionBanner />
              <Outlet />
            </ActionsProvider>
          </LiveProvider>
        ) : path === '/account' ? (
          // New people change their password before they are members.
          <Outlet />
        ) : (
          <Empty title="You are not a member of any project" isWhole>
            <Text>Ask an administrator, or an owner of a project, to add you.</Text>
          </Empty>
        )}
      </main>
    </div>
  );
}

function ConnectionBanner() {
  const isConnected = useIsConnected();
  return (
    <div role="status">
      {!isConnected && (
        <Alert color="yellow" variant="outline" mb="md" p="xs">
          The connection to the service was lost, and is tried again. What is shown may be out of
          date.
        </Alert>
      )}
    </div>
  );
}
