import { Checkbox, NativeSelect, SimpleGrid } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { inBackground } from '../../background.ts';
import { say, sayFailed } from '../../servers/actions/toasts.tsx';
import { generatePassword } from '../../servers/generate-password.ts';
import { sessionQuery } from '../../session/session.ts';
import { Form } from '../../shell/form.tsx';
import { Page } from '../../shell/page.tsx';
import { SecretDialog } from '../../shell/secret-dialog.tsx';
import { roles } from '../projects/roles.ts';
import { UserFields } from './fields.tsx';
import { codes, createOf, membershipOf, names } from './form.ts';
import { usersQuery } from './queries.ts';

export function NewUserPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const goOn = () => inBackground(navigate({ to: '/admin/users' }));
  const creating = useMutation({
    // Nothing keeps the password once the page is left.
    gcTime: 0,
    mutationFn: async (form: FormData) => {
      const body = createOf(form, generatePassword());
      await berth.POST('/v1/users', { body });
      await join(body.email, membershipOf(form));
      return body;
    },
    onSuccess: async ({ email, password }) => {
      await queries.invalidateQueries(usersQuery);
      if (password) return;
      say(`${email} was added`, ['They sign in at the OpenID provider.']);
      goOn();
    },
  });
  const { error, isPending, data: created } = creating;
  const { fields, rest } = fieldErrors(error, names, codes);
  const projects = session?.projects ?? [];
  return (
    <Page title="Add a user">
      <Form
        button="Add the user"
        submit={(form) => creating.mutate(new FormData(form))}
        {...{ isPending, error, rest }}
      >
        <UserFields fields={fields} />
        <Checkbox
          label="With a password, which is generated and shown once"
          description="Without one, they sign in at the OpenID provider of the installation."
          name="has_password"
          defaultChecked
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            label="Member of the project"
            name="project_id"
            data={[
              { value: '', label: 'None yet' },
              ...projects.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
          />
          <NativeSelect
            label="Role"
            name="role"
            defaultValue="member"
            data={Object.entries(roles).map(([value, label]) => ({ value, label }))}
          />
        </SimpleGrid>
      </Form>
      {created?.password && (
        <SecretDialog
          title={`The password of ${created.email}`}
          secret={created.password}
          what="password"
          button="Done"
          goOn={goOn}
        >
          Give it to them in a safe way. They can change it under Account.
        </SecretDialog>
      )}
    </Page>
  );
}

/** The user exists already, so that the failure is only told. */
async function join(email: string, membership: ReturnType<typeof membershipOf>): Promise<void> {
  if (!membership) return;
  const { projectId: id, role } = membership;
  try {
    const params = { path: { id } };
    await berth.POST('/v1/projects/{id}/members', { params, body: { email, role } });
  } catch (error) {
    sayFailed(`${email} was added, but is no member of the project`, error);
  }
}
