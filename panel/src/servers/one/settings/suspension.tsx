import { Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { berth } from '../../../api/berth.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import type { Server } from '../../../live/apply.ts';
import { Form } from '../../../shell/form.tsx';
import { announce } from '../../actions/act.ts';

/** Stops a server until an administrator lets it run again. */
export function Suspension({ server }: { server: Server }) {
  return server.suspension ? <Unsuspend server={server} /> : <Suspend server={server} />;
}

function Suspend({ server }: { server: Server }) {
  const [reason, setReason] = useState('');
  const suspending = useMutation({
    mutationFn: async () => {
      const params = { path: { id: server.id } };
      const body = { reason: reason.trim() };
      return (await berth.POST('/v1/servers/{id}/suspend', { params, body })).data;
    },
    onSuccess: (begun) => announce('suspend', server, begun),
  });
  const { error, isPending } = suspending;
  const { fields, rest } = fieldErrors(error, ['reason']);
  return (
    <Form
      title="Suspension"
      button="Suspend"
      color="red.9"
      submit={() => suspending.mutate()}
      {...{ isPending, error, rest }}
    >
      <Text size="sm">
        The server is stopped, and its project can only delete it until an administrator ends the
        suspension. Its disk and addresses are kept.
      </Text>
      <TextInput
        label="Reason"
        description="The members of its project read it."
        autoComplete="off"
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        error={fields.reason}
      />
    </Form>
  );
}

function Unsuspend({ server }: { server: Server }) {
  const ending = useMutation({
    mutationFn: async () => {
      const params = { path: { id: server.id } };
      return (await berth.POST('/v1/servers/{id}/unsuspend', { params })).data;
    },
    onSuccess: (begun) => announce('unsuspend', server, begun),
  });
  const { error, isPending } = ending;
  return (
    <Form
      title="Suspension"
      button="End the suspension"
      submit={() => ending.mutate()}
      rest={error !== null}
      {...{ isPending, error }}
    >
      <Text size="sm">
        The server is suspended. It is started again if it ran when it was suspended.
      </Text>
    </Form>
  );
}
