import { Alert, AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { inBackground } from '../background.ts';
import { type CommandDialog, Commands } from '../commands/commands.tsx';
import { LiveProvider, useIsConnected } from '../live/live.tsx';
import { ActionsProvider } from '../servers/actions/provider.tsx';
import { sessionQuery } from '../session/session.ts';
import { FindButton } from './find-button.tsx';
import { useIdle } from './idle.ts';
import { Empty } from './messages.tsx';
import { Navigation } from './navigation.tsx';
import { PersonMenu } from './person-menu.tsx';
import { ProjectMenu } from './project-menu.tsx';

/** No page waits for it. */
const ConfirmDialog = lazyRouteComponent(
  () => import('../session/confirm-dialog.tsx'),
  'ConfirmDialog',
);

/** The frame of each page: navigation, header, and what is said about the connection. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [dialog, show] = useState<CommandDialog>();
  const { data: session } = useQuery(sessionQuery);
  const isAccount = useLocation({ select: ({ pathname }) => pathname === '/account' });
  const isIdle = useIdle();
  const router = useRouter();
  useEffect(() => {
    // It has ended, so that the route leads to the page for signing in.
    if (session === null) inBackground(router.invalidate());
  }, [session, router]);
  if (!session) return null;
  const { project } = session;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      {isIdle && (
        <Suspense>
          <Notifications position="bottom-right" />
          <ConfirmDialog />
        </Suspense>
      )}
      {/* Above the navigation, which its menus open over. */}
      <AppShell.Header zIndex={102}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
            />
            <Text fw={700} visibleFrom="xs">
              Berth
            </Text>
            <ProjectMenu session={session} />
          </Group>
          <Group gap="sm" wrap="nowrap">
            {project && <FindButton onClick={() => show('palette')} />}
            <PersonMenu session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Main" className="scrolls">
        <Navigation onChosen={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {project ? (
          // Another project has other servers and events.
          <LiveProvider key={project.id}>
            <ActionsProvider>
              <Commands dialog={dialog} show={show} />
              <ConnectionBanner />
              <Outlet />
            </ActionsProvider>
          </LiveProvider>
        ) : isAccount ? (
          // New people change their password before they are members.
          <Outlet />
        ) : (
          <Empty title="You are not a member of any project" isWhole>
            <Text>Ask an administrator, or an owner of a project, to add you.</Text>
          </Empty>
        )}
      </AppShell.Main>
    </AppShell>
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
