import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { isMissing } from '../../api/words.ts';
import { inBackground } from '../../background.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { generatePassword } from '../../servers/generate-password.ts';
import { sessionQuery } from '../../session/session.ts';
import { Form } from '../../shell/form.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Missing } from '../../shell/missing.tsx';
import { Page } from '../../shell/page.tsx';
import { Question, useAsked } from '../../shell/question.tsx';
import { SecretDialog } from '../../shell/secret-dialog.tsx';
import { UserFields } from './fields.tsx';
import { codes, names, updateOf } from './form.ts';
import { type User, userQuery, usersQuery } from './queries.ts';

const route = getRouteApi('/signed-in/admin/users/$id');

/** A user: what they are, and what can be done for them. */
export function UserPage() {
  const id = Number(route.useParams().id);
  const { data: user, error, refetch } = useQuery(userQuery(id));
  const { data: session } = useQuery(sessionQuery);
  if (isMissing(error)) return <Missing what="user" to="/admin/users" />;
  return (
    <Page title={user?.email ?? 'User'}>
      {error && !user && (
        <Failure
          title="The user cannot be shown"
          error={error}
          retry={() => inBackground(refetch())}
        />
      )}
      {!user && !error && <Loading />}
      {user && <Settings key={user.id} user={user} />}
      {user && user.id !== session?.user.id && <Actions user={user} />}
    </Page>
  );
}

function Settings({ user }: { user: User }) {
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: async (form: FormData) => {
      const params = { path: { id: user.id } };
      return (await berth.PATCH('/v1/users/{id}', { params, body: updateOf(form) })).data;
    },
    onSuccess: async ({ email }) => {
      await queries.invalidateQueries({ queryKey: ['users'] });
      say(`${email} was changed`, []);
    },
  });
  const { error, isPending } = changing;
  const { fields, rest } = fieldErrors(error, names, codes);
  return (
    <Form
      button="Save"
      submit={(form) => changing.mutate(new FormData(form))}
      {...{ isPending, error, rest }}
    >
      <UserFields user={user} fields={fields} />
    </Form>
  );
}

/** Not on one's own account, whose password is changed under Account. */
function Actions({ user }: { user: User }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const reset = useAsked<User>();
  const deletion = useAsked<User>();
  const [password, setPassword] = useState<string>();
  const params = { path: { id: user.id } };
  const setNew = async () => {
    const generated = generatePassword();
    await berth.PATCH('/v1/users/{id}', { params, body: { password: generated } });
    await queries.invalidateQueries({ queryKey: ['users'] });
    setPassword(generated);
  };
  const remove = async () => {
    await berth.DELETE('/v1/users/{id}', { params });
    await navigate({ to: '/admin/users' });
    await queries.invalidateQueries(usersQuery);
    say(`${user.email} was deleted`, []);
  };
  return (
    <Group gap="sm">
      <Button variant="default" onClick={() => reset.ask(user)}>
        Set a new password
      </Button>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => deletion.ask(user)}>
        Delete the user
      </Button>
      <Question
        isOpen={reset.isOpen}
        close={reset.close}
        title={`Set a new password of ${user.email}?`}
        answer="Set the password"
        act={setNew}
      >
        It is generated, and shown once. Their sessions end at once; their tokens stay valid.
      </Question>
      <Question
        isOpen={deletion.isOpen}
        close={deletion.close}
        title={`Delete ${user.email}?`}
        answer="Delete for good"
        act={remove}
      >
        Their sessions end, and their tokens are revoked. Servers stay: they belong to projects.
      </Question>
      {password !== undefined && (
        <SecretDialog
          title={`The password of ${user.email}`}
          secret={password}
          what="password"
          button="Done"
          goOn={() => setPassword(undefined)}
        >
          Give it to them in a safe way. They can change it under Account.
        </SecretDialog>
      )}
    </Group>
  );
}
