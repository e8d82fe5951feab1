import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { nameOf } from '../events/type-words.ts';
import { say, sayFailed } from '../servers/actions/toasts.tsx';
import { Time } from '../shell/time.tsx';
import { attemptInWords, type Delivery } from './deliveries.ts';

/** An event that is sent, and how the last attempt ended. */
export function OneDelivery({ delivery }: { delivery: Delivery }) {
  const { type, event_id, status, next_attempt_at, response_excerpt, redelivery_of } = delivery;
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={600} className="breaks">
          {type === 'webhook.test' ? 'Test' : nameOf(type)}
          {event_id !== null && ` (event ${event_id})`}{' '}
          <Text
            span
            size="sm"
            fw={400}
            c={status === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}
          >
            {status}
            {redelivery_of !== null && ', sent again'}
          </Text>
        </Text>
        <Text size="xs" c="dimmed" component="span">
          <Time at={delivery.created_at} relative />
        </Text>
      </Group>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed" className="breaks" component="div">
          {attemptInWords(delivery)}
          {next_attempt_at && delivery.error && (
            <>
              {' '}
              The next one is at <Time at={next_attempt_at} />.
            </>
          )}
        </Text>
        {type !== 'webhook.test' && <Redeliver delivery={delivery} />}
      </Group>
      {response_excerpt && (
        <details>
          <Text component="summary" size="sm">
            Response
          </Text>
          <Code block mt={4} className="breaks">
            {response_excerpt}
          </Code>
        </details>
      )}
    </Stack>
  );
}

function Redeliver({ delivery }: { delivery: Delivery }) {
  const { id: delivery_id, webhook_id: id, event_id, status } = delivery;
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () => {
      const params = { path: { id, delivery_id } };
      return berth.POST('/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver', { params });
    },
    onSuccess: () => say(`Event ${event_id} is sent again`, []),
    onError: (error) => sayFailed(`Event ${event_id} is not sent again`, error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks', id] }),
  });
  return (
    <Button
      size="compact-xs"
      variant="default"
      flex="none"
      loading={sending.isPending}
      onClick={() => sending.mutate()}
    >
      {status === 'pending' ? 'Send now' : 'Redeliver'}
      <span className="sr-only"> event {event_id}</span>
    </Button>
  );
}
