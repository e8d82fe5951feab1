import { Button, Stack, Text } from '@mantine/core';
import IconPlus from '@tabler/icons-react/icons/IconPlus';
import { useRef, useState } from 'react';
import type { Server } from '../../../../live/apply.ts';
import { Form } from '../../../../shell/form.tsx';
import { sayChanged } from '../../../actions/toasts.tsx';
import { useUpdate } from '../update.ts';
import { LabelRow } from './row.tsx';
import { patchOf, type Row, repeated, rowErrors, rowsOf, withNew } from './rows.ts';

/** The labels of a server, of which each can be changed and removed. */
export function LabelsForm({ server }: { server: Server }) {
  const [edited, setEdited] = useState<readonly Row[]>();
  const adder = useRef<HTMLButtonElement>(null);
  const saving = useUpdate(server.id);
  const rows = edited ?? rowsOf(server.labels);
  const patch = patchOf(server.labels, rows);
  const twice = repeated(rows);
  const { error, isPending } = saving;
  const { found, rest } = rowErrors(error, rows);
  const change = (changed: readonly Row[]) => {
    saving.reset();
    setEdited(changed);
  };
  const save = () =>
    saving.mutate(
      { labels: patch },
      {
        onSuccess: ({ labels }) => {
          setEdited(undefined);
          const before = { labels: patchOf(labels, rowsOf(server.labels)) };
          sayChanged(server.hostname, 'The labels are saved.', () => saving.mutateAsync(before));
        },
      },
    );
  return (
    <Form
      title="Labels"
      button="Save the labels"
      submit={save}
      isOff={Object.keys(patch).length === 0 || twice.size > 0}
      {...{ isPending, error, rest }}
    >
      <Text size="sm" c="dimmed">
        Keys and values by which servers are found, such as env and prod
      </Text>
      {rows.length > 0 && (
        <Stack gap="xs">
          {rows.map((row, index) => (
            <LabelRow
              key={row.id}
              row={row}
              number={index + 1}
              error={twice.get(row.id) ?? found.get(row.id)}
              change={(changed) =>
                change(rows.map((one) => (one.id === row.id ? { ...one, ...changed } : one)))
              }
              remove={() => {
                change(rows.filter(({ id }) => id !== row.id));
                adder.current?.focus();
              }}
            />
          ))}
        </Stack>
      )}
      <div>
        <Button
          ref={adder}
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change(withNew(rows))}
        >
          Add a label
        </Button>
      </div>
    </Form>
  );
}
