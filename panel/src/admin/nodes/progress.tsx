import type { Operation } from '@berth/client';
import { Button, Card, Group, List, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { inWords, isMissing } from '../../api/words.ts';
import { inBackground } from '../../background.ts';
import { isOver } from '../../operations/after.ts';
import { OneOperation } from '../../operations/one-operation.tsx';
import { moveWords, tallyOf, worthNaming } from './moves.ts';
import { forgetOperation, nodeOperationQuery } from './queries.ts';

interface ProgressProps {
  /** The ID of the operation. */
  id: number;
  nodeId: number;
}

/** How far the operation on a node is, and how it ended, until somebody has seen that. */
export function NodeOperationProgress({ id, nodeId }: ProgressProps) {
  const queries = useQueryClient();
  const { data: operation, error } = useQuery(nodeOperationQuery(id));
  const isDone = operation !== undefined && isOver(operation);
  const isGone = isMissing(error);
  useEffect(() => {
    // The service keeps operations for some months.
    if (isGone) forgetOperation(queries, nodeId);
    if (isDone) inBackground(queries.invalidateQueries({ queryKey: ['fleet'] }));
  }, [isDone, isGone, nodeId, queries]);
  if (error && !isGone && !operation) return <Text size="sm">{inWords(error)}</Text>;
  if (!operation) return null;
  return (
    <Card withBorder padding="sm" role="group" aria-label="Latest operation">
      <Stack gap="xs">
        <OneOperation operation={operation} />
        <Moves operation={operation} />
        {isDone && (
          <Group>
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => forgetOperation(queries, nodeId)}
            >
              Dismiss
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function Moves({ operation: { servers } }: { operation: Operation }) {
  if (!servers || servers.length === 0) return null;
  const { named, others } = worthNaming(servers);
  return (
    <div>
      <Text size="sm">{tallyOf(servers)}</Text>
      <List size="sm" spacing={2}>
        {named.map((server) => (
          <List.Item key={server.id} className="breaks">
            {server.hostname}: {moveWords(server)}
          </List.Item>
        ))}
      </List>
      {others > 0 && (
        <Text size="sm" c="dimmed">
          and {others} more
        </Text>
      )}
    </div>
  );
}
