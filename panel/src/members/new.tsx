import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../api/berth.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { say } from '../servers/actions/toasts.tsx';
import { sessionQuery } from '../session/session.ts';
import { Form } from '../shell/form.tsx';
import { Page } from '../shell/page.tsx';
import { type Role, roles, roleWords } from './members.ts';
import { membersQuery } from './queries.ts';

const names = ['email', 'role'] as const;
const codes = { already_member: 'email' } as const;

export function NewMemberPage() {
  const { data: session } = useQuery(sessionQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const id = session?.project?.id ?? 0;
  const adding = useMutation({
    mutationFn: async (form: FormData) => {
      const body = { email: String(form.get('email')).trim(), role: form.get('role') as Role };
      const params = { path: { id } };
      return (await berth.POST('/v1/projects/{id}/members', { params, body })).data;
    },
    onSuccess: async ({ email }) => {
      await queries.invalidateQueries(membersQuery(id));
      // An administrator may have added themselves.
      if (email === session?.user.email) await queries.invalidateQueries(sessionQuery);
      await navigate({ to: '/members' });
      say(`${email} was added`, []);
    },
  });
  const { error, isPending } = adding;
  const { fields, rest } = fieldErrors(error, names, codes);
  return (
    <Page title="Add a member">
      <Form
        button="Add the member"
        submit={(form) => adding.mutate(new FormData(form))}
        {...{ isPending, error, rest }}
      >
        <TextInput
          label="Email address"
          description="That of somebody who can already sign in to this installation"
          name="email"
          type="email"
          autoComplete="off"
          error={fields.email}
          data-autofocus
        />
        <Radio.Group label="Role" name="role" defaultValue="member" error={fields.role}>
          <Stack gap="xs" mt="xs">
            {roles.map((role) => (
              <Radio
                key={role}
                value={role}
                label={roleWords[role].name}
                description={roleWords[role].explanation}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          They see the project the next time that they open the panel. No message is sent to them.
        </Text>
      </Form>
    </Page>
  );
}
