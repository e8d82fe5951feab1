import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { inBackground } from '../../background.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { Form } from '../../shell/form.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Missing } from '../../shell/missing.tsx';
import { Page } from '../../shell/page.tsx';
import { SizeFields } from './fields.tsx';
import { names, updateOf } from './form.ts';
import { allSizesQuery, type Size } from './queries.ts';

const route = getRouteApi('/signed-in/admin/sizes/$id');

export function SizePage() {
  const id = Number(route.useParams().id);
  const { data: sizes, error, refetch } = useQuery(allSizesQuery);
  const size = sizes?.find((one) => one.id === id);
  if (sizes && !size) return <Missing what="size" to="/admin/sizes" />;
  return (
    <Page title={size?.name ?? 'Size'}>
      {error && !sizes && (
        <Failure
          title="The size cannot be shown"
          error={error}
          retry={() => inBackground(refetch())}
        />
      )}
      {!sizes && !error && <Loading />}
      {size && <Change key={size.id} size={size} />}
    </Page>
  );
}

function Change({ size }: { size: Size }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const changing = useMutation({
    mutationFn: async (form: FormData) => {
      const params = { path: { id: size.id } };
      return (await berth.PATCH('/v1/sizes/{id}', { params, body: updateOf(form) })).data;
    },
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: ['sizes'] });
      await navigate({ to: '/admin/sizes' });
      say(`The size ${name} was changed`, []);
    },
  });
  const { error, isPending } = changing;
  const { fields, rest } = fieldErrors(error, names, { name_taken: 'name' });
  return (
    <Form
      button="Save"
      submit={(form) => changing.mutate(new FormData(form))}
      {...{ isPending, error, rest }}
    >
      <SizeFields size={size} fields={fields} error={error} />
    </Form>
  );
}
