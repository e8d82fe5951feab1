import type { components } from '@berth/client';
import { Anchor, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { counted } from '../../format/units.ts';
import type { Server } from '../../live/apply.ts';
import { Time } from '../../shell/time.tsx';
import { NodeActions } from './actions.tsx';
import { Bars } from './bars.tsx';
import classes from './nodes.module.css';
import { NodeOperationProgress } from './progress.tsx';
import type { Node } from './queries.ts';
import { Servers } from './servers.tsx';
import { explanationOf } from './words.ts';

interface CardProps {
  node: Node;
  location: components['schemas']['Location'] | undefined;
  servers: readonly Server[];
  /** The latest known operation on the node. */
  operationId: number | undefined;
}

/** A node: how it is, what it has, and what is on it. */
export function NodeCard({ node, location, servers, operationId }: CardProps) {
  return (
    <Card component="li" withBorder padding="md">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Heading node={node} />
          <NodeActions node={node} operationId={operationId} />
        </Group>
        <Notes node={node} location={location} />
        {operationId !== undefined && <NodeOperationProgress id={operationId} nodeId={node.id} />}
        <Bars node={node} location={location} />
        <Servers node={node} servers={servers} />
        <Text size="xs" c="dimmed">
          {node.incus_version && `Incus ${node.incus_version} · `}
          {node.failure_domain !== 'default' && `failure domain ${node.failure_domain} · `}
          read <Time at={node.updated_at} relative />
        </Text>
      </Stack>
    </Card>
  );
}

function Heading({ node: { name, location, status, status_since } }: { node: Node }) {
  return (
    <div>
      <Title order={2} size="h4" className="breaks">
        {name}
      </Title>
      <Group gap={8} wrap="nowrap">
        <span className={classes.dot} data-status={status} aria-hidden />
        <Text size="sm" component="span">
          {status}{' '}
          <Text span size="sm" c="dimmed">
            since <Time at={status_since} relative />, in {location}
          </Text>
        </Text>
      </Group>
    </div>
  );
}

/** What is not as it should be, and why. */
function Notes({ node, location }: Pick<CardProps, 'node' | 'location'>) {
  const { warnings } = node;
  const notes = explanationOf(node, location);
  if (notes.length === 0 && warnings.length === 0 && !node.slow_since) return null;
  return (
    <List size="sm" spacing={4}>
      {node.slow_since && (
        <List.Item>
          It is slow: since <Time at={node.slow_since} relative />, it takes more than 3 seconds to
          answer. Look at its load and its disks.
        </List.Item>
      )}
      {notes.map((note) => (
        <List.Item key={note} className="breaks">
          {note}
        </List.Item>
      ))}
      {warnings.length > 0 && (
        <List.Item>
          <Anchor inherit renderRoot={(props) => <Link to="/admin/health" {...props} />}>
            {counted(warnings.length, 'warning')}
          </Anchor>
        </List.Item>
      )}
    </List>
  );
}
