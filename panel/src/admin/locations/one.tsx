import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { isMissing } from '../../api/words.ts';
import { inBackground } from '../../background.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { Form } from '../../shell/form.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Missing } from '../../shell/missing.tsx';
import { Page } from '../../shell/page.tsx';
import { LocationFields } from './fields.tsx';
import { names, updateOf } from './form.ts';
import { type Location, placeQuery } from './queries.ts';

const route = getRouteApi('/signed-in/admin/locations/$id');

export function LocationPage() {
  const id = Number(route.useParams().id);
  const { data: location, error, refetch } = useQuery(placeQuery(id));
  if (isMissing(error)) return <Missing what="location" to="/admin/locations" />;
  return (
    <Page title={location?.name ?? 'Location'}>
      {error && !location && (
        <Failure
          title="The location cannot be shown"
          error={error}
          retry={() => inBackground(refetch())}
        />
      )}
      {!location && !error && <Loading />}
      {location && <Change key={location.id} location={location} />}
    </Page>
  );
}

function Change({ location }: { location: Location }) {
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: async (form: FormData) => {
      const params = { path: { id: location.id } };
      return (await berth.PATCH('/v1/locations/{id}', { params, body: updateOf(form) })).data;
    },
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: ['locations'] });
      say(`The location ${name} was changed`, []);
    },
  });
  const { error, isPending } = changing;
  const { fields, rest } = fieldErrors(error, names);
  return (
    <Form
      button="Save"
      submit={(form) => changing.mutate(new FormData(form))}
      {...{ isPending, error, rest }}
    >
      <LocationFields location={location} fields={fields} error={error} />
    </Form>
  );
}
