import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { sessionQuery } from '../../session/session.ts';
import { Form } from '../../shell/form.tsx';
import { Page } from '../../shell/page.tsx';
import { ProjectFields } from './fields.tsx';
import { bodyOf, names } from './form.ts';

export function NewProjectPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: async (form: FormData) =>
      (await berth.POST('/v1/projects', { body: bodyOf(form) })).data,
    onSuccess: async ({ id, name }) => {
      // The menu at the top has the new one.
      await queries.invalidateQueries(sessionQuery);
      await navigate({ to: '/admin/projects/$id', params: { id: String(id) } });
      say(`The project ${name} was created`, ['Add its members, who can then use it.']);
    },
  });
  const { error, isPending } = creating;
  const { fields, rest } = fieldErrors(error, names, { name_taken: 'name' });
  return (
    <Page title="New project">
      <Form
        button="Create the project"
        submit={(form) => creating.mutate(new FormData(form))}
        {...{ isPending, error, rest }}
      >
        <ProjectFields fields={fields} error={error} />
      </Form>
    </Page>
  );
}
