import { Alert, Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { berth } from '../api/berth.ts';
import { inWords } from '../api/words.ts';
import { WebhookSecret } from './secret.tsx';
import type { Webhook } from './webhooks.ts';

interface RotationProps {
  webhook: Webhook;
  isOpen: boolean;
  close: () => void;
}

const periods = [
  { value: '1', label: 'for an hour' },
  { value: '24', label: 'for a day' },
  { value: '168', label: 'for a week' },
  { value: '0', label: 'no longer: it has become known to others' },
];

/** Gives a webhook a new secret, beside which the former one stays valid for a while. */
export function Rotation({ webhook: { id, name }, isOpen, close }: RotationProps) {
  const queries = useQueryClient();
  const rotating = useMutation({
    // Nothing keeps the secret once the dialog is closed.
    gcTime: 0,
    mutationFn: async (keep_former_hours: number) => {
      const init = { params: { path: { id } }, body: { keep_former_hours } };
      return (await berth.POST('/v1/webhooks/{id}/rotate-secret', init)).data;
    },
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    rotating.mutate(Number(new FormData(event.currentTarget).get('keep_former_hours')));
  };
  const cancel = () => {
    if (rotating.isPending) return;
    rotating.reset();
    close();
  };
  return (
    <>
      <Modal opened={isOpen} onClose={cancel} title={`Replace the secret of ${name}`}>
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">
              As long as both secrets are valid, events are signed with both, so that the receiver
              can take over the new one at any time.
            </Text>
            {rotating.isError && (
              <Alert color="red" variant="outline" role="alert">
                {inWords(rotating.error)}
              </Alert>
            )}
            <NativeSelect
              label="The former secret stays valid"
              name="keep_former_hours"
              defaultValue="24"
              data={periods}
              data-autofocus
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={cancel}>
                Cancel
              </Button>
              <Button type="submit" loading={rotating.isPending}>
                Make a new secret
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
      {rotating.data && (
        <WebhookSecret webhook={rotating.data} button="Done" goOn={rotating.reset}>
          Give it to the receiver.
        </WebhookSecret>
      )}
    </>
  );
}
