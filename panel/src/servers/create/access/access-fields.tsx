import { Checkbox, Group, PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Strength } from '../../../setup/strength.tsx';
import { keysQuery } from '../../../ssh-keys/queries.ts';
import type { FieldsProps } from '../fields.tsx';

/** How root logs in. */
export function AccessFields({ values, set, errors }: FieldsProps) {
  const { data: keys = [] } = useQuery(keysQuery);
  return (
    <>
      <Checkbox.Group
        label="SSH keys"
        description={
          keys.length === 0
            ? 'The project has none. Add one on the page SSH keys.'
            : 'They can log in as root.'
        }
        value={values.ssh_keys}
        onChange={(ssh_keys) => set({ ssh_keys })}
        error={errors.ssh_keys}
      >
        <Group gap="md" mt="xs">
          {keys.map(({ id, name }) => (
            <Checkbox key={id} value={String(id)} label={name} />
          ))}
        </Group>
      </Checkbox.Group>
      <Checkbox
        label="Allow logging in with a password"
        checked={values.password_login}
        onChange={({ currentTarget }) => set({ password_login: currentTarget.checked })}
        error={errors.password_login}
      />
      {values.password_login && (
        <>
          <PasswordInput
            label="Password of root"
            description="If you leave it empty, one is generated, and shown once."
            autoComplete="new-password"
            maxLength={128}
            value={values.password}
            onChange={({ currentTarget }) => set({ password: currentTarget.value })}
            error={errors.password}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          />
          {values.password && <Strength password={values.password} about={[values.name]} />}
        </>
      )}
    </>
  );
}
