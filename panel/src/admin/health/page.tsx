import type { components } from '@berth/client';
import { Alert, Anchor, Badge, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { inBackground } from '../../background.ts';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Page } from '../../shell/page.tsx';
import { placesQuery } from '../locations/queries.ts';
import { nodesQuery } from '../nodes/queries.ts';
import { type Found, problemsOf } from './problems.ts';
import { healthQuery, versionQuery } from './queries.ts';

type Health = components['schemas']['Health'];

const titles: Record<Health['status'], string> = {
  ok: 'The service works',
  degraded: 'The service works, but something is missing',
  failing: 'The service cannot handle requests',
};
const colours: Record<Health['status'], string> = {
  ok: 'teal',
  degraded: 'yellow',
  failing: 'red',
};

/** How the installation is, and what to do about it. */
export function HealthPage() {
  const health = useQuery(healthQuery);
  const { data: version } = useQuery(versionQuery);
  return (
    <Page title="Health">
      {version && (
        <Text size="sm" c="dimmed">
          Berth {version.version}
          {version.commit && `, built from ${version.commit.slice(0, 12)}`}
        </Text>
      )}
      {health.error && (
        <Failure
          title="The health cannot be shown"
          error={health.error}
          retry={() => inBackground(health.refetch())}
        />
      )}
      {health.isPending && <Loading />}
      {health.data && <State health={health.data} />}
    </Page>
  );
}

function State({ health }: { health: Health }) {
  const { data: locations = [], error: locationError } = useQuery(placesQuery);
  const { data: nodes = [], error: nodeError } = useQuery(nodesQuery({}));
  const error = locationError ?? nodeError;
  const problems = problemsOf(health.checks, locations, nodes);
  return (
    <>
      <Alert color={colours[health.status]} variant="outline" role="status">
        <Text fw={600}>{titles[health.status]}</Text>
      </Alert>
      {error && <Failure title="Nodes and locations cannot be shown" error={error} />}
      <Title order={2} size="h3">
        What to do
      </Title>
      {problems.length === 0 ? (
        <Text>Nothing needs your attention.</Text>
      ) : (
        <Stack component="ul" className="plain-list" gap="xs" p={0} m={0} aria-label="What to do">
          {problems.map((problem) => (
            <Problem key={`${problem.about} ${problem.what}`} problem={problem} />
          ))}
        </Stack>
      )}
      <Title order={2} size="h3">
        Checks
      </Title>
      <Checks checks={health.checks} />
    </>
  );
}

function Problem({ problem: { about, isUrgent, what, advice, page } }: { problem: Found }) {
  return (
    <li>
      {/* Not an alert: each would interrupt a screen reader when the page opens. */}
      <Alert
        role="group"
        color={isUrgent ? 'red' : 'yellow'}
        variant="outline"
        title={`${about}${isUrgent ? ', urgent' : ''}`}
      >
        <Text size="sm" className="breaks">
          {what}
        </Text>
        <Text size="sm" mt={4}>
          {advice}{' '}
          {page && (
            <Anchor href={`/help/${page}`} underline="always" inherit>
              More about this
            </Anchor>
          )}
        </Text>
      </Alert>
    </li>
  );
}

function Checks({ checks }: Pick<Health, 'checks'>) {
  return (
    // It scrolls, also with keys.
    <Table.ScrollContainer
      minWidth={480}
      type="native"
      role="region"
      tabIndex={0}
      aria-label="Table of checks"
    >
      <Table verticalSpacing="xs" aria-label="Checks">
        <Table.Thead>
          <Table.Tr>
            {['Component', 'Status', 'Result'].map((name) => (
              <Table.Th key={name} scope="col" fz="xs" c="dimmed">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {checks.map(({ name, status, detail }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={600}>
                {name}
              </Table.Th>
              <Table.Td>
                <Group gap={8}>
                  <Badge color={colours[status]} variant="dot" tt="none">
                    {status}
                  </Badge>
                </Group>
              </Table.Td>
              <Table.Td>{detail}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
