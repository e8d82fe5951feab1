import { Anchor, Button, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count, counted } from '../format/units.ts';
import { Time } from '../shell/time.tsx';
import {
  allMeasures,
  amountOf,
  type Measure,
  nameOf,
  orderedBy,
  prices,
  type StatementServer,
  shownAs,
} from './measures.ts';

const rowsAtOnce = 100;

interface ServersProps {
  servers: readonly StatementServer[];
  measure: Measure;
  hasPrices: boolean;
}

/** What each server used and cost. */
export function Servers({ servers, measure, hasPrices }: ServersProps) {
  const [most, setMost] = useState(rowsAtOnce);
  const shown = orderedBy(servers, measure).slice(0, most);
  const headings = [
    ...['Server', 'Size', ...allMeasures.map(nameOf)],
    ...(hasPrices ? ['Price'] : []),
  ];
  return (
    <Stack component="section" gap="xs" aria-labelledby="servers">
      <Title order={2} size="h5" id="servers">
        {counted(servers.length, 'server')}
      </Title>
      <Table.ScrollContainer minWidth={860} type="native" pos="relative">
        <Table fz="sm" verticalSpacing="xs" highlightOnHover aria-labelledby="servers">
          <Table.Thead>
            <Table.Tr>
              {headings.map((heading, index) => (
                <Table.Th
                  key={heading}
                  scope="col"
                  fz="xs"
                  c="dimmed"
                  ta={index < 2 ? undefined : 'right'}
                >
                  {heading}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((server) => (
              <Table.Tr key={server.server_id}>
                <Table.Th scope="row" fw={600} className="breaks">
                  <Name server={server} />
                </Table.Th>
                <Table.Td>{server.size ?? 'custom'}</Table.Td>
                {allMeasures.map((one) => (
                  <Table.Td key={one} ta="right" className="one-line">
                    {shownAs(amountOf(server, one), one)}
                  </Table.Td>
                ))}
                {hasPrices && (
                  <Table.Td ta="right" className="one-line">
                    {prices(server.prices) || 'none'}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {servers.length > most && (
        <Button variant="default" onClick={() => setMost(most + rowsAtOnce)}>
          Show more of {count(servers.length)} servers
        </Button>
      )}
    </Stack>
  );
}

function Name({ server: { server_id, hostname, deleted_at } }: { server: StatementServer }) {
  if (deleted_at) {
    return (
      <>
        {hostname}
        <Text size="xs" c="dimmed" fw={400}>
          deleted <Time at={deleted_at} />
        </Text>
      </>
    );
  }
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link to="/servers/$id" params={{ id: String(server_id) }} {...props} />
      )}
    >
      {hostname}
    </Anchor>
  );
}
