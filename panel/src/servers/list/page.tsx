import { Anchor, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { inBackground } from '../../background.ts';
import { count, counted } from '../../format/units.ts';
import type { Server } from '../../live/apply.ts';
import { Empty, Failure, Loading } from '../../shell/messages.tsx';
import { NewLink } from '../../shell/new-link.tsx';
import { useTitle } from '../../shell/title.ts';
import { ActionButtons } from '../actions/buttons.tsx';
import { Filters } from './filters.tsx';
import { mostServers, useServers } from './queries.ts';
import { hasFilters } from './search.ts';
import { sorted } from './sort.ts';
import { ServersTable } from './table.tsx';

const route = getRouteApi('/signed-in/servers');
const none: ReadonlySet<number> = new Set();

/** All servers of the project, as they are now. */
export function ServersPage() {
  useTitle('Servers');
  const search = route.useSearch();
  const { data, error, isPlaceholderData, refetch } = useServers(search);
  const servers = useMemo(() => data && sorted(data, search), [data, search]);
  const [selected, setSelected] = useState(none);
  const chosen = servers?.filter(({ id }) => selected.has(id)) ?? [];

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Servers
        </Title>
        <NewLink to="/servers/new">New server</NewLink>
      </Group>
      <Filters search={search} />
      {error && !servers && (
        <Failure
          title="The servers cannot be shown"
          error={error}
          retry={() => inBackground(refetch())}
        />
      )}
      {!servers && !error && <Loading />}
      {servers?.length === 0 && !isPlaceholderData && <NoServers isFiltered={hasFilters(search)} />}
      {servers && servers.length > 0 && (
        <>
          <Selection
            servers={servers}
            isWhole={!isPlaceholderData}
            chosen={chosen}
            clear={() => setSelected(none)}
          />
          <ServersTable
            servers={servers}
            search={search}
            selected={selected}
            select={setSelected}
          />
        </>
      )}
    </Stack>
  );
}

/** How many servers there are, or what can be done with the selected ones. */
function Selection({
  servers,
  isWhole,
  chosen,
  clear,
}: {
  servers: readonly Server[];
  /** Whether these are all, or others are being read. */
  isWhole: boolean;
  chosen: readonly Server[];
  clear: () => void;
}) {
  const isCut = servers.length >= mostServers;
  return (
    <Group mih={32} gap="sm" role="group" aria-label="Selected servers">
      <Text size="sm" c="dimmed" role="status">
        {chosen.length > 0
          ? `${count(chosen.length)} of ${counted(servers.length, 'server')} selected`
          : isWhole
            ? counted(servers.length, 'server')
            : 'Loading all servers …'}
        {isCut && ', of which no more are shown: use the filters to find others'}
      </Text>
      {chosen.length > 0 && (
        <>
          <ActionButtons servers={chosen} />
          <Button variant="subtle" size="xs" onClick={clear}>
            Clear the selection
          </Button>
        </>
      )}
    </Group>
  );
}

function NoServers({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No server matches the filters">
        <Anchor renderRoot={(props) => <Link to="/servers" {...props} />}>Show all servers</Anchor>
      </Empty>
    );
  }
  return (
    <Empty title="This project has no servers">
      <Text>
        Create one here, with <Code>berth server create</Code>, or over{' '}
        <Anchor href="/docs" underline="always">
          the API
        </Anchor>
        .
      </Text>
      <NewLink to="/servers/new">New server</NewLink>
    </Empty>
  );
}
