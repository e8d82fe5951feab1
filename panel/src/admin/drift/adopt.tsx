import {
  Alert,
  Button,
  Group,
  Modal,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { inWords } from '../../api/words.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { systemsQuery } from '../../servers/create/queries.ts';
import { sessionQuery } from '../../session/session.ts';
import { adoptionOf, names } from './adoption.ts';
import type { Drift } from './words.ts';

interface DialogProps {
  record: Drift;
  isOpen: boolean;
  close: () => void;
  onBegun: (record: Drift, operationId: number) => void;
}

/** Asks what the server of an instance is to be like. */
export function AdoptDialog({ record, isOpen, close, onBegun }: DialogProps) {
  const { data: session } = useQuery(sessionQuery);
  const { data: systems = [] } = useQuery(systemsQuery);
  const [system, setSystem] = useState<string | null>(null);
  const adopting = useMutation({
    mutationFn: async (form: FormData) => {
      const params = { path: { id: record.id } };
      const body = adoptionOf(form, system);
      return (await berth.POST('/v1/drift/{id}/adopt', { params, body })).data;
    },
    onSuccess: ({ operation }) => {
      onBegun(record, operation.id);
      say(`${record.instance} is being adopted`, ['It is listed with the servers of the project.']);
      close();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    adopting.mutate(new FormData(event.currentTarget));
  };
  const { fields, rest } = fieldErrors(adopting.error, names, { name_taken: 'name' });
  const amounts = [
    { name: 'cpu', label: 'Cores', found: record.adoptable?.cpu },
    { name: 'ram', label: 'Memory, in MiB', found: record.adoptable?.ram },
    { name: 'disk', label: 'Disk, in GiB', found: record.adoptable?.disk },
  ] as const;
  return (
    <Modal opened={isOpen} onClose={close} title={`Adopt ${record.instance}?`}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">
            It becomes a server of the project {session?.project?.name}, with its disk and its
            addresses. If it runs, it is restarted.
          </Text>
          {rest && (
            <Alert color="red" variant="outline" role="alert">
              {inWords(adopting.error)}
            </Alert>
          )}
          <Select
            label="Operating system"
            description="Which it has. A rebuild installs it anew."
            allowDeselect={false}
            data={systems.map(({ id, name, version }) => ({
              value: String(id),
              label: `${name} ${version}`,
            }))}
            value={system}
            onChange={setSystem}
            error={fields.os_id}
          />
          <TextInput
            label="Name"
            name="name"
            autoComplete="off"
            placeholder={record.instance}
            error={fields.name}
          />
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            {amounts.map(({ name, label, found }) => (
              <TextInput
                key={name}
                label={label}
                name={name}
                inputMode="numeric"
                autoComplete="off"
                placeholder={found === null || found === undefined ? 'Required' : String(found)}
                error={fields[name]}
              />
            ))}
          </SimpleGrid>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={adopting.isPending}>
              Adopt it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
