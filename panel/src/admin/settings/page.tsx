import { TextInput } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { inBackground } from '../../background.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { Form } from '../../shell/form.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Page } from '../../shell/page.tsx';
import { fieldErrorsIn } from '../forms.ts';
import { periods, settingsOf } from './form.ts';

const settingsQuery = queryOptions({
  queryKey: ['settings'],
  staleTime: 0,
  queryFn: async ({ signal }) => (await berth.GET('/v1/settings', { signal })).data,
});

/** The settings of the installation that can be changed while it runs. */
export function SettingsPage() {
  const queries = useQueryClient();
  const { data: settings, error: reading, refetch } = useQuery(settingsQuery);
  const changing = useMutation({
    mutationFn: async (form: FormData) =>
      (await berth.PATCH('/v1/settings', { body: settingsOf(form) })).data,
    onSuccess: async () => {
      await queries.invalidateQueries(settingsQuery);
      say('The settings were changed', []);
    },
  });
  const { error, isPending } = changing;
  const { rest } = fieldErrors(error, ['retention']);
  const wrong = fieldErrorsIn(error, 'retention');
  return (
    <Page title="Settings">
      {reading && !settings && (
        <Failure
          title="The settings cannot be shown"
          error={reading}
          retry={() => inBackground(refetch())}
        />
      )}
      {!settings && !reading && <Loading />}
      {settings && (
        <Form
          button="Save"
          submit={(form) => changing.mutate(new FormData(form))}
          {...{ isPending, error, rest }}
        >
          {periods.map(({ name, label, description }) => (
            <TextInput
              key={name}
              label={label}
              description={description}
              name={name}
              inputMode="numeric"
              autoComplete="off"
              defaultValue={settings.retention[name]}
              error={wrong[name]}
            />
          ))}
        </Form>
      )}
    </Page>
  );
}
