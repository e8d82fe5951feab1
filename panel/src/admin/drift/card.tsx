import { Anchor, Button, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { inBackground } from '../../background.ts';
import { isOver } from '../../operations/after.ts';
import { OneOperation } from '../../operations/one-operation.tsx';
import { Time } from '../../shell/time.tsx';
import { repairQuery } from './queries.ts';
import { kindNames } from './search.ts';
import {
  type Answer,
  adoptableInWords,
  allowedFor,
  type Drift,
  differenceInWords,
} from './words.ts';

interface CardProps {
  record: Drift;
  ask: (answer: Answer) => void;
  operationId: number | undefined;
  /** When the operation has ended. */
  onEnd: () => Promise<void>;
}

const names: Record<Answer, string> = { repair: 'Repair', adopt: 'Adopt', forget: 'Forget' };

/** What differs, and what can be done about it. */
export function DriftCard({ record, ask, operationId, onEnd }: CardProps) {
  const { kind, instance, location, node, server_id, since, forgotten } = record;
  const allowed = allowedFor(record);
  const answers = (['repair', 'adopt', 'forget'] as const).filter((answer) => allowed[answer]);
  return (
    <Card component="li" withBorder padding="md">
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} size="h5" className="breaks">
              {instance}
            </Title>
            <Text size="sm" c="dimmed">
              {kindNames[kind]}
              {forgotten && ', forgotten'}, since <Time at={since} relative />, in {location}
              {node && `, on ${node}`}
            </Text>
          </div>
          <Group gap="xs">
            {answers.map((answer) => (
              <Button key={answer} size="xs" variant="default" onClick={() => ask(answer)}>
                {names[answer]}
                <span className="sr-only"> {instance}</span>
              </Button>
            ))}
          </Group>
        </Group>
        <Differences record={record} />
        {server_id !== null && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                to="/admin/servers/$id"
                params={{ id: String(server_id) }}
                preload={false}
                {...props}
              />
            )}
          >
            Go to its server
          </Anchor>
        )}
        {operationId !== undefined && <Progress id={operationId} onEnd={onEnd} />}
      </Stack>
    </Card>
  );
}

function Differences({ record: { kind, differences, adoptable } }: { record: Drift }) {
  if (kind === 'missing_instance') {
    return (
      <Text size="sm">
        Its disk is gone with it. Rebuild the server from its image, or delete it.
      </Text>
    );
  }
  if (!adoptable) {
    return (
      <List size="sm" spacing={2}>
        {differences.map((one) => (
          <List.Item key={one.path} className="breaks">
            {differenceInWords(one)}
          </List.Item>
        ))}
      </List>
    );
  }
  return (
    <>
      <Text size="sm">{adoptableInWords(adoptable)}</Text>
      {adoptable.obstacles.length > 0 && (
        <>
          <Text size="sm">It cannot be adopted as it is:</Text>
          <List size="sm" spacing={2}>
            {adoptable.obstacles.map((obstacle) => (
              <List.Item key={obstacle} className="breaks">
                {obstacle}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </>
  );
}

function Progress({ id, onEnd }: { id: number; onEnd: () => Promise<void> }) {
  const { data: operation } = useQuery(repairQuery(id));
  const isDone = operation !== undefined && isOver(operation);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the operation ends
  useEffect(() => {
    if (isDone) inBackground(onEnd());
  }, [isDone]);
  return operation ? <OneOperation operation={operation} /> : null;
}
