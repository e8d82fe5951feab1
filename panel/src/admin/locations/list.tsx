import { Badge, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { count } from '../../format/units.ts';
import { List } from '../../shell/list.tsx';
import { Page } from '../../shell/page.tsx';
import { OneLink } from '../links.tsx';
import { type Location, placesQuery } from './queries.ts';

/** The places where servers run. They are added on the machine of Berth, which gets a token of their Incus. */
export function LocationsPage() {
  const query = useQuery(placesQuery);
  return (
    <Page title="Locations">
      <List
        name="locations"
        query={query}
        columns={[
          {
            name: 'Name',
            show: ({ id, name }) => (
              <OneLink to="/admin/locations/$id" id={id}>
                {name}
              </OneLink>
            ),
          },
          { name: 'Description', show: ({ description }) => description },
          { name: 'State', show: (location) => <State location={location} /> },
          {
            name: 'Overcommitment',
            show: ({ overcommit: { cpu, ram, disk } }) =>
              `cores ${count(cpu)}, memory ${count(ram)}, disk ${count(disk)}`,
          },
          { name: 'Drift', show: ({ drift }) => count(drift ?? 0) },
        ]}
      />
      <Text size="sm" c="dimmed">
        “npm run location” on the machine of Berth adds and removes locations.
      </Text>
    </Page>
  );
}

function State({ location }: { location: Location }) {
  const { reachable, unreachable_reason, enabled, network_policy } = location;
  return (
    <>
      <Group gap={6}>
        <Badge variant="outline" color={reachable ? 'teal' : 'red'} tt="none">
          {reachable ? 'reachable' : 'unreachable'}
        </Badge>
        {!enabled && (
          <Badge variant="default" tt="none">
            no new servers
          </Badge>
        )}
      </Group>
      {!reachable && <Text size="xs">{unreachable_reason}</Text>}
      {network_policy.status !== 'applied' && (
        <Text size="xs" c="dimmed">
          rules of its network are {network_policy.status}
        </Text>
      )}
    </>
  );
}
