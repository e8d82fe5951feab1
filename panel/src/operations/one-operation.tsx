import type { Operation } from '@berth/client';
import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { berth } from '../api/berth.ts';
import { sayFailed } from '../servers/actions/toasts.tsx';
import { useMayChange } from '../session/may-change.ts';
import { Time } from '../shell/time.tsx';
import { isOver } from './after.ts';
import classes from './one-operation.module.css';
import { kindNames, statusNames } from './search.ts';

interface OperationProps {
  operation: Operation;
  /** What it is done to, unless that is clear. */
  target?: ReactNode;
}

/** What an operation does, how far it is, and how it ended. */
export function OneOperation({ operation, target }: OperationProps) {
  const { id, kind, status, error, message, progress, created_at, cancellable } = operation;
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={600} className="breaks">
          {kindNames[kind]} {target}{' '}
          <Text
            span
            size="sm"
            fw={400}
            c={status === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}
          >
            {statusNames[status]}
          </Text>
        </Text>
        <Link to="/operations/$id" params={{ id: String(id) }} className={classes.time}>
          <span className="sr-only">Operation {id}, </span>
          <Time at={created_at} relative />
        </Link>
      </Group>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed" className="breaks">
          {error?.detail ?? message}{' '}
          {error && (
            <Anchor href={`/docs/errors#${error.code}`} underline="always">
              About {error.code}
            </Anchor>
          )}
        </Text>
        {cancellable && <Cancel operation={operation} />}
      </Group>
      {!isOver(operation) && <Progress value={progress} size="sm" aria-label={message} />}
    </Stack>
  );
}

function Cancel({ operation: { id, kind } }: { operation: Operation }) {
  const isAllowed = useMayChange();
  const queries = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => berth.POST('/v1/operations/{id}/cancel', { params: { path: { id } } }),
    onError: (error) => sayFailed(`${kindNames[kind]} was not cancelled`, error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['operations'] }),
  });
  if (!isAllowed) return null;
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Cancel operation ${id}: ${kindNames[kind]}`}
      loading={cancelling.isPending}
      onClick={() => cancelling.mutate()}
    >
      Cancel
    </Button>
  );
}
