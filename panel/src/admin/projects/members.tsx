import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { inWords } from '../../api/words.ts';
import { sayFailed } from '../../servers/actions/toasts.tsx';
import { List } from '../../shell/list.tsx';
import { Time } from '../../shell/time.tsx';
import { membersQuery } from './queries.ts';
import { isRole, roles } from './roles.ts';

const names = ['email', 'role'] as const;
const codes = { already_member: 'email' } as const;

/** Who may use a project, and how. */
export function Members({ projectId: id }: { projectId: number }) {
  const query = useQuery(membersQuery(id));
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: (user_id: number) =>
      berth.DELETE('/v1/projects/{id}/members/{user_id}', { params: { path: { id, user_id } } }),
    onError: (error) => sayFailed('The member was not removed', error),
    onSettled: () => queries.invalidateQueries(membersQuery(id)),
  });
  return (
    <>
      <Title order={2} size="h3">
        Members
      </Title>
      <List
        name="members"
        query={query}
        columns={[
          { name: 'Email address', show: ({ email }) => email },
          { name: 'Name', show: ({ name }) => name },
          { name: 'Role', show: ({ role }) => roles[role] },
          { name: 'Since', show: ({ since }) => <Time at={since} relative /> },
        ]}
        actions={({ user_id, email }) => (
          <Button
            variant="subtle"
            color="red"
            size="xs"
            loading={removing.isPending && removing.variables === user_id}
            onClick={() => removing.mutate(user_id)}
          >
            Remove<span className="sr-only"> {email}</span>
          </Button>
        )}
        empty={<Text size="sm">Nobody but administrators can use it yet.</Text>}
      />
      <NewMember projectId={id} />
    </>
  );
}

function NewMember({ projectId: id }: { projectId: number }) {
  const queries = useQueryClient();
  const adding = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const entered = new FormData(form);
      const role = entered.get('role');
      const body = {
        email: String(entered.get('email')).trim(),
        role: isRole(role) ? role : 'member',
      };
      await berth.POST('/v1/projects/{id}/members', { params: { path: { id } }, body });
    },
    onSuccess: async (_, form) => {
      form.reset();
      await queries.invalidateQueries(membersQuery(id));
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    adding.mutate(event.currentTarget);
  };
  const { fields, rest } = fieldErrors(adding.error, names, codes);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <Group align="flex-start" gap="sm">
          <TextInput
            label="Email address of a user"
            name="email"
            type="email"
            autoComplete="off"
            flex="1 1 200px"
            maw={320}
            error={fields.email}
          />
          <NativeSelect
            label="Role"
            name="role"
            defaultValue="member"
            data={Object.entries(roles).map(([value, label]) => ({ value, label }))}
            error={fields.role}
          />
          <Button type="submit" variant="default" mt={24} loading={adding.isPending}>
            Add
          </Button>
        </Group>
        {rest && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {inWords(adding.error)}
          </Text>
        )}
      </Stack>
    </form>
  );
}
