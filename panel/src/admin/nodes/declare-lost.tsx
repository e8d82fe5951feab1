import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { berth } from '../../api/berth.ts';
import { inWords } from '../../api/words.ts';
import { type Node, rememberOperation } from './queries.ts';

interface DialogProps {
  node: Node;
  isOpen: boolean;
  close: () => void;
}

/** Gives up a node once its name has been typed. */
export function DeclareLostDialog({ node, isOpen, close }: DialogProps) {
  const { id, name, location_id } = node;
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const declaring = useMutation({
    mutationFn: async () => {
      const params = { path: { name }, query: { location_id } };
      const body = { confirm: typed };
      return (await berth.POST('/v1/nodes/{name}/declare-lost', { params, body })).data;
    },
    onSuccess: async ({ operation }) => {
      rememberOperation(queries, { nodeId: id, operationId: operation.id });
      end();
      await queries.invalidateQueries({ queryKey: ['fleet'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === name) declaring.mutate();
  };
  const end = () => {
    setTyped('');
    declaring.reset();
    close();
  };
  return (
    <Modal opened={isOpen} onClose={end} title={`Declare ${name} lost?`}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Switch the machine off first, and make sure that it stays off: otherwise its servers
            keep running with addresses that others will get. Its servers and their disks are given
            up. This cannot be undone.
          </Text>
          {declaring.isError && (
            <Alert color="red" variant="outline" role="alert">
              {inWords(declaring.error)}
            </Alert>
          )}
          <TextInput
            label={`Type ${name} to confirm`}
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={end}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red.9"
              disabled={typed !== name}
              loading={declaring.isPending}
            >
              Declare the node lost
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
