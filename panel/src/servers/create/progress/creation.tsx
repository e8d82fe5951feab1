import type { Operation } from '@berth/client';
import { Alert, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Server } from '../../../live/apply.ts';
import { OneOperation } from '../../../operations/one-operation.tsx';
import { Time } from '../../../shell/time.tsx';
import { CommandResults } from './command-results.tsx';
import { reportsQuery, sentCommandsKey } from './queries.ts';
import { stepsOf } from './steps.ts';

interface CreationProps {
  server: Server;
  operation: Operation;
}

/** The operation, its steps, and what its user data and commands have done. */
export function Creation({ server, operation }: CreationProps) {
  const sent = useQueryClient().getQueryData<string[]>(sentCommandsKey(server.id));
  const { commands, user_data } = operation;
  return (
    <>
      <Section title="Progress">
        <Stack gap="md">
          <OneOperation operation={operation} />
          <Group>
            <Button
              variant={operation.status === 'succeeded' ? 'filled' : 'default'}
              renderRoot={(props) => (
                <Link to="/servers/$id" params={{ id: String(server.id) }} {...props} />
              )}
            >
              Go to the server
            </Button>
          </Group>
        </Stack>
      </Section>
      <Section title="Steps">
        <Steps serverId={server.id} operation={operation} />
      </Section>
      {user_data && (
        <Section title="User data">
          <UserDataReport report={user_data} />
        </Section>
      )}
      {server.initial_commands.total > 0 && (
        <Section title="Commands">
          <CommandResults
            total={server.initial_commands.total}
            results={commands ?? []}
            texts={sent ?? []}
            status={operation.status}
          />
        </Section>
      )}
    </>
  );
}

function Steps({ serverId, operation }: { serverId: number; operation: Operation }) {
  const { data: events = [] } = useQuery(reportsQuery(serverId));
  const steps = stepsOf(events, operation.id);
  if (steps.length === 0) {
    return <Text size="sm">None are recorded. They are kept for 30 days.</Text>;
  }
  return (
    <Stack component="ol" gap={4} p={0} m={0} className="plain-list">
      {steps.map(({ message, at }) => (
        <Group component="li" key={at + message} justify="space-between" gap="xs">
          <Text size="sm" className="breaks">
            {message}
          </Text>
          <Text size="xs" c="dimmed" component="span">
            <Time at={at} />
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

const outcomes = {
  done: 'cloud-init has carried it out, without errors.',
  degraded: 'cloud-init has carried it out, with warnings.',
  error: 'A part of it has failed.',
  running: 'cloud-init has not ended, and continues.',
  unknown: 'cloud-init did not run, or did not say how it ended.',
};

function UserDataReport({ report }: { report: NonNullable<Operation['user_data']> }) {
  const { status, errors } = report;
  if (errors.length === 0) return <Text size="sm">{outcomes[status]}</Text>;
  return (
    <Alert color="yellow" variant="outline" title={outcomes[status]}>
      <Stack component="ul" gap={4} m={0} pl="md">
        {errors.map((error) => (
          <Text key={error} component="li" size="sm" className="breaks">
            {error}
          </Text>
        ))}
      </Stack>
    </Alert>
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
