import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { Form } from '../../shell/form.tsx';
import { Page } from '../../shell/page.tsx';
import { SizeFields } from './fields.tsx';
import { createOf, names } from './form.ts';

export function NewSizePage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: async (form: FormData) =>
      (await berth.POST('/v1/sizes', { body: createOf(form) })).data,
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: ['sizes'] });
      await navigate({ to: '/admin/sizes' });
      say(`The size ${name} was created`, []);
    },
  });
  const { error, isPending } = creating;
  const { fields, rest } = fieldErrors(error, names, { name_taken: 'name' });
  return (
    <Page title="New size">
      <Form
        button="Create the size"
        submit={(form) => creating.mutate(new FormData(form))}
        {...{ isPending, error, rest }}
      >
        <SizeFields fields={fields} error={error} />
      </Form>
    </Page>
  );
}
