import {
  Alert,
  Anchor,
  Box,
  Button,
  Card,
  Group,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import IconTerminal2 from '@tabler/icons-react/icons/IconTerminal2';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isMissing } from '../../api/words.ts';
import { inBackground } from '../../background.ts';
import { LatestEvents } from '../../events/latest.tsx';
import type { Server } from '../../live/apply.ts';
import { useActivity } from '../../live/live.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { useTitle } from '../../shell/title.ts';
import { ActionButtons } from '../actions/buttons.tsx';
import { ServerStatus } from '../status.tsx';
import { Access, ServerFacts } from './cards.tsx';
import { NoSuchServer } from './missing.tsx';
import { Operations } from './operations.tsx';
import { serverQuery, statusQuery } from './queries.ts';
import { Tabs } from './tabs.tsx';
import { Usage } from './usage/section.tsx';
import { usualSpan } from './usage/span.ts';

const route = getRouteApi('/signed-in/servers/$id');

/** A server as it is now, above the parts of its page. */
export function ServerPage() {
  const id = Number(route.useParams().id);
  const { data: server, error, refetch } = useQuery(serverQuery(id));
  useTitle(server?.hostname ?? 'Server');
  if (isMissing(error)) return <NoSuchServer />;
  if (error && !server) {
    return (
      <Failure
        title="The server cannot be shown"
        error={error}
        retry={() => inBackground(refetch())}
      />
    );
  }
  return server ? <Frame server={server} /> : <Loading />;
}

function Frame({ server }: { server: Server }) {
  return (
    <Stack gap="md">
      <Anchor size="sm" renderRoot={(props) => <Link to="/servers" {...props} />}>
        Servers
      </Anchor>
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2" className="breaks">
          {server.hostname}
        </Title>
        <ActionButtons servers={[server]}>
          {server.status === 'started' && !server.suspension && <ConsoleLink id={server.id} />}
        </ActionButtons>
      </Group>
      <State server={server} />
      <Tabs serverId={server.id} />
      <Outlet />
    </Stack>
  );
}

/** How to reach a server, what it is and uses, and what was done to it. */
export function ServerOverview() {
  const { last = usualSpan } = route.useSearch();
  const { data: server } = useQuery(serverQuery(Number(route.useParams().id)));
  if (!server) return null;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Access">
          <Access server={server} />
        </Section>
        <Section title="Server">
          <ServerFacts server={server} />
        </Section>
      </SimpleGrid>
      <Section title="Usage">
        <Usage server={server} span={last} />
      </Section>
      <Section title="Operations">
        <Operations serverId={server.id} />
      </Section>
      <Section title="Events">
        <LatestEvents serverId={server.id} />
      </Section>
    </Stack>
  );
}

function ConsoleLink({ id }: { id: number }) {
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconTerminal2 size={16} aria-hidden />}
      renderRoot={(props) => (
        <Link to="/servers/$id/console" params={{ id: String(id) }} {...props} />
      )}
    >
      Console
    </Button>
  );
}

function State({ server }: { server: Server }) {
  const { data: record } = useQuery(statusQuery(server.id));
  const activity = useActivity(server.id);
  const { error, suspension, unavailable } = server;
  return (
    <Stack gap="xs" maw={600}>
      <Group gap="xs">
        <Box flex={activity ? 1 : undefined}>
          <ServerStatus server={server} />
        </Box>
        {!activity && (
          <Text size="sm" c="dimmed">
            {record?.status}
          </Text>
        )}
      </Group>
      {error && (
        <Alert color="red" variant="outline" title="The server cannot be used">
          {error}
        </Alert>
      )}
      {suspension && (
        <Alert color="red" variant="outline" title="An administrator suspended the server">
          {suspension.reason}
        </Alert>
      )}
      {unavailable && (
        <Alert color="yellow" variant="outline" title="What is shown was last known">
          {unavailable.reason}
        </Alert>
      )}
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}
