import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { fieldErrors } from '../../../api/field-errors.ts';
import type { Server } from '../../../live/apply.ts';
import { Form } from '../../../shell/form.tsx';
import { sayChanged } from '../../actions/toasts.tsx';
import { useUpdate } from './update.ts';

/** What people should know about the server. */
export function NotesForm({ server }: { server: Server }) {
  const [edited, setEdited] = useState<string>();
  const saving = useUpdate(server.id);
  const notes = edited ?? server.notes;
  const save = () =>
    saving.mutate(
      { notes },
      {
        onSuccess: () => {
          setEdited(undefined);
          const before = { notes: server.notes };
          sayChanged(server.hostname, 'The notes are saved.', () => saving.mutateAsync(before));
        },
      },
    );
  const { error, isPending } = saving;
  const { fields, rest } = fieldErrors(error, ['notes']);
  return (
    <Form
      title="Notes"
      button="Save the notes"
      submit={save}
      isOff={notes === server.notes}
      {...{ isPending, error, rest }}
    >
      <Textarea
        aria-label="Notes"
        description="For people, such as whom to ask before a restart"
        autosize
        minRows={3}
        maxRows={12}
        value={notes}
        onChange={({ currentTarget }) => setEdited(currentTarget.value)}
        error={fields.notes}
      />
    </Form>
  );
}
