import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { inWords } from '../../../../api/words.ts';
import { inBackground } from '../../../../background.ts';
import type { Server } from '../../../../live/apply.ts';
import { remove } from '../../../actions/act.ts';
import { TypedName } from './typed-name.tsx';

interface DialogProps {
  server: Server;
  isOpen: boolean;
  close: () => void;
}

/** Deletes a server once its name has been typed. */
export function DeleteDialog({ server, isOpen, close }: DialogProps) {
  const { hostname } = server;
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const removing = useMutation({
    mutationFn: () => remove(server),
    onSuccess: () => inBackground(navigate({ to: '/servers' })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === hostname) removing.mutate();
  };
  const end = () => {
    setTyped('');
    removing.reset();
    close();
  };
  return (
    <Modal opened={isOpen} onClose={end} title={`Delete ${hostname}?`}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">The server and everything on its disk are removed for good.</Text>
          {removing.isError && (
            <Alert color="red" variant="outline" role="alert">
              {inWords(removing.error)}
            </Alert>
          )}
          <TypedName {...{ hostname, typed }} change={setTyped} hasFocus />
          <Group justify="flex-end">
            <Button variant="default" onClick={end}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red.9"
              disabled={typed !== hostname}
              loading={removing.isPending}
            >
              Delete the server
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
