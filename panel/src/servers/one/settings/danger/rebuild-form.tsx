import { Button, Checkbox, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../../../../api/field-errors.ts';
import { locationsQuery } from '../../../../api/queries.ts';
import type { Server } from '../../../../live/apply.ts';
import { PlainForm } from '../../../../shell/form.tsx';
import { keysQuery } from '../../../../ssh-keys/queries.ts';
import { systemsQuery } from '../../../create/queries.ts';
import { Keys } from './keys.tsx';
import { keysOf, fields as names, type Rebuild } from './rebuild.ts';
import { TypedName } from './typed-name.tsx';

interface FormProps {
  server: Server;
  submit: (rebuild: Rebuild) => void;
  cancel: () => void;
  error: unknown;
  isPending: boolean;
}

/** The new system of a server, and who can log in to it. */
export function RebuildForm({ server, submit, cancel, error, isPending }: FormProps) {
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: systems = [] } = useQuery(systemsQuery);
  const { data: keys = [] } = useQuery(keysQuery);
  const [changed, setChanged] = useState<Partial<Rebuild>>({});
  const [typed, setTyped] = useState('');
  const rebuild: Rebuild = {
    os_id: String(server.os_id),
    ssh_keys: keysOf(server, keys),
    password_login: server.password_login,
    ...changed,
  };
  const set = (more: Partial<Rebuild>) => setChanged({ ...changed, ...more });
  const { fields, rest } = fieldErrors(error, names);
  const offered = locations.find(({ id }) => id === server.location_id)?.os_ids;
  // It can keep its own, even if nothing else gets it any more.
  const own = { value: String(server.os_id), label: server.os };
  const others = systems
    .filter(({ id }) => id !== server.os_id && (offered?.includes(id) ?? true))
    .map(({ id, name, version }) => ({ value: String(id), label: `${name} ${version}` }));
  return (
    <PlainForm
      button="Erase the disk and rebuild"
      color="red.9"
      submit={() => submit(rebuild)}
      isOff={typed !== server.hostname}
      more={
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
      }
      {...{ error, isPending, rest }}
    >
      <Text size="sm">
        <strong>Everything on the disk of the server is lost.</strong> Its power is cut, and it gets
        a new system with new host keys. Its name, addresses and size stay.
      </Text>
      <NativeSelect
        label="Operating system"
        data={[own, ...others]}
        value={rebuild.os_id}
        onChange={({ currentTarget }) => set({ os_id: currentTarget.value })}
        error={fields.os_id}
        data-autofocus
      />
      <Keys
        keys={keys}
        chosen={rebuild.ssh_keys}
        choose={(ssh_keys) => set({ ssh_keys })}
        error={fields.ssh_keys}
      />
      <Checkbox
        label="Allow logging in with a password, which is generated and shown once"
        checked={rebuild.password_login}
        onChange={({ currentTarget }) => set({ password_login: currentTarget.checked })}
        error={fields.password_login}
      />
      <TypedName hostname={server.hostname} typed={typed} change={setTyped} />
    </PlainForm>
  );
}
