import { Anchor, SimpleGrid, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { locationsQuery } from '../../api/queries.ts';
import { inBackground } from '../../background.ts';
import { counted } from '../../format/units.ts';
import { Empty, Failure, Loading } from '../../shell/messages.tsx';
import { Page } from '../../shell/page.tsx';
import { NodeCard } from './card.tsx';
import { Filters } from './filters.tsx';
import {
  keyOf,
  latestOperationsQuery,
  type Node,
  nodesQuery,
  serversOfNodesQuery,
} from './queries.ts';
import { amounts, freeOf, locationOf } from './room.ts';
import { hasFilters, type NodeSearch } from './search.ts';

const route = getRouteApi('/signed-in/admin/nodes');

/** The machines of all locations: who is where, and what is free. */
export function NodesPage() {
  const search = route.useSearch();
  return (
    <Page title="Nodes">
      <Filters search={search} />
      <Nodes search={search} />
    </Page>
  );
}

function Nodes({ search }: { search: NodeSearch }) {
  const nodes = useQuery({ ...nodesQuery(search), placeholderData: keepPreviousData });
  const { data: locations = [] } = useQuery(locationsQuery);
  const servers = useQuery(serversOfNodesQuery);
  const { data: latest = {} } = useQuery(latestOperationsQuery);
  const error = nodes.error ?? servers.error;
  if (error && !(nodes.data && servers.data)) {
    const retry = () => inBackground(Promise.all([nodes.refetch(), servers.refetch()]));
    return <Failure title="The nodes cannot be shown" error={error} retry={retry} />;
  }
  if (!nodes.data) return <Loading />;
  if (nodes.data.length === 0) return <NoNodes isFiltered={hasFilters(search)} />;
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {summaryOf(nodes.data, locations)}
      </Text>
      <SimpleGrid
        component="ul"
        className="plain-list"
        p={0}
        m={0}
        cols={{ base: 1, md: 2, xl: 3 }}
        aria-label="Nodes"
      >
        {nodes.data.map((node) => (
          <NodeCard
            key={node.id}
            node={node}
            location={locationOf(node, locations)}
            servers={servers.data?.get(keyOf(node.location_id, node.name)) ?? []}
            operationId={latest[node.id]}
          />
        ))}
      </SimpleGrid>
    </>
  );
}

function summaryOf(nodes: readonly Node[], locations: Parameters<typeof freeOf>[1]): string {
  const servers = nodes.reduce((sum, node) => sum + node.servers, 0);
  const free = freeOf(nodes, locations);
  return (
    `${counted(nodes.length, 'node')} with ${counted(servers, 'server')}. ` +
    `Free for new servers: ${amounts.ram(free.ram)} of memory and ${counted(free.cpu, 'core')}.`
  );
}

function NoNodes({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <Empty title="There are no nodes">
        <Text>Add a location on the machine of Berth, with “npm run location”.</Text>
      </Empty>
    );
  }
  return (
    <Empty title="No node matches the filters">
      <Anchor renderRoot={(props) => <Link to="/admin/nodes" {...props} />}>Show all nodes</Anchor>
    </Empty>
  );
}
