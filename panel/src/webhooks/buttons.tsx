import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { berth } from '../api/berth.ts';
import { say, sayFailed } from '../servers/actions/toasts.tsx';
import { Question } from '../shell/question.tsx';
import { Rotation } from './rotation.tsx';
import type { Webhook } from './webhooks.ts';

/** What can be done with a webhook. */
export function WebhookButtons({ webhook }: { webhook: Webhook }) {
  const [isRotating, rotation] = useDisclosure(false);
  const [isDeleting, deletion] = useDisclosure(false);
  return (
    <Group gap="xs">
      <Test webhook={webhook} />
      <Switch webhook={webhook} />
      <Button
        size="xs"
        variant="default"
        renderRoot={(props) => (
          <Link to="/webhooks/$id/edit" params={{ id: String(webhook.id) }} {...props} />
        )}
      >
        Edit
      </Button>
      <Button size="xs" variant="default" onClick={rotation.open}>
        Replace the secret
      </Button>
      <Button size="xs" variant="outline" color="red" onClick={deletion.open}>
        Delete
      </Button>
      <Rotation webhook={webhook} isOpen={isRotating} close={rotation.close} />
      <Deletion webhook={webhook} isOpen={isDeleting} close={deletion.close} />
    </Group>
  );
}

function Test({ webhook: { id } }: { webhook: Webhook }) {
  const queries = useQueryClient();
  const testing = useMutation({
    mutationFn: () => berth.POST('/v1/webhooks/{id}/test', { params: { path: { id } } }),
    onSuccess: () => say('A test is sent', ['The deliveries show what the receiver responds.']),
    onError: (error) => sayFailed('No test was sent', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks', id] }),
  });
  return (
    <Button
      size="xs"
      variant="default"
      loading={testing.isPending}
      onClick={() => testing.mutate()}
    >
      Send a test
    </Button>
  );
}

/** Ends or resumes the deliveries. */
function Switch({ webhook: { id, status } }: { webhook: Webhook }) {
  const queries = useQueryClient();
  const isActive = status === 'active';
  const switching = useMutation({
    mutationFn: (enabled: boolean) =>
      berth.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body: { enabled } }),
    onError: (error) => sayFailed('The webhook was not changed', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  return (
    <Button
      size="xs"
      variant="default"
      loading={switching.isPending}
      onClick={() => switching.mutate(!isActive)}
    >
      {isActive ? 'Disable' : status === 'paused' ? 'Resume' : 'Enable'}
    </Button>
  );
}

interface DialogProps {
  webhook: Webhook;
  isOpen: boolean;
  close: () => void;
}

function Deletion({ webhook: { id, name }, ...dialog }: DialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    await berth.DELETE('/v1/webhooks/{id}', { params: { path: { id } } });
    await navigate({ to: '/webhooks' });
    queries.removeQueries({ queryKey: ['webhooks', id] });
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
    say(`The webhook ${name} was deleted`, []);
  };
  return (
    <Question {...dialog} title={`Delete ${name}?`} answer="Delete the webhook" act={remove}>
      Nothing more is sent to it, also not what is pending, and its deliveries are no longer shown.
    </Question>
  );
}
