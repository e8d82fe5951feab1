import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldErrors } from '../../../api/field-errors.ts';
import type { Server } from '../../../live/apply.ts';
import { Form } from '../../../shell/form.tsx';
import { announce } from '../../actions/act.ts';
import { say } from '../../actions/toasts.tsx';
import { useUpdate } from './update.ts';

/** What the server is called, here and inside. */
export function NameForm({ server }: { server: Server }) {
  const [edited, setEdited] = useState<string>();
  const renaming = useUpdate(server.id);
  const name = edited ?? server.hostname;
  const rename = () =>
    renaming.mutate(
      { name: name.trim() },
      {
        onSuccess: ({ operation, ...renamed }) => {
          setEdited(undefined);
          const message = `The server is called ${renamed.hostname} now.`;
          if (!operation) return say(server.hostname, [message]);
          announce('rename', renamed, {
            message: `${message} The name is being set inside.`,
            operation,
          });
        },
      },
    );
  const { error, isPending } = renaming;
  const { fields, rest } = fieldErrors(error, ['name'], { name_taken: 'name' });
  return (
    <Form
      title="Name"
      button="Rename"
      submit={rename}
      isOff={name.trim() === server.hostname}
      {...{ isPending, error, rest }}
    >
      <TextInput
        label="Host name"
        description="A running server has it at once, a stopped one from its next start."
        autoComplete="off"
        value={name}
        onChange={({ currentTarget }) => setEdited(currentTarget.value)}
        error={fields.name}
      />
    </Form>
  );
}
