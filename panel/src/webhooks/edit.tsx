import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { berth } from '../api/berth.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { isMissing } from '../api/words.ts';
import { inBackground } from '../background.ts';
import { Form } from '../shell/form.tsx';
import { Failure, Loading } from '../shell/messages.tsx';
import { Page } from '../shell/page.tsx';
import { Fields } from './fields.tsx';
import { changeOf, codes, names } from './form.ts';
import { NoWebhook } from './missing.tsx';
import { webhookQuery } from './queries.ts';
import type { Webhook } from './webhooks.ts';

const route = getRouteApi('/signed-in/webhooks/$id/edit');

export function EditWebhookPage() {
  const id = Number(route.useParams().id);
  const { data: webhook, error, refetch } = useQuery(webhookQuery(id));
  if (isMissing(error)) return <NoWebhook />;
  if (error && !webhook) {
    const retry = () => inBackground(refetch());
    return <Failure title="The webhook cannot be shown" error={error} retry={retry} />;
  }
  return webhook ? <EditForm webhook={webhook} /> : <Loading />;
}

function EditForm({ webhook }: { webhook: Webhook }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id } = webhook;
  const show = () => navigate({ to: '/webhooks/$id', params: { id: String(id) } });
  const changing = useMutation({
    mutationFn: (form: FormData) =>
      berth.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body: changeOf(form) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
      await show();
    },
  });
  const { error, isPending } = changing;
  const { fields, rest } = fieldErrors(error, names, codes);
  return (
    <Page title={`Edit ${webhook.name}`}>
      <Form
        button="Save"
        submit={(form) => changing.mutate(new FormData(form))}
        more={
          <Button variant="default" onClick={() => inBackground(show())}>
            Cancel
          </Button>
        }
        {...{ isPending, error, rest }}
      >
        <Fields webhook={webhook} errors={fields} />
      </Form>
    </Page>
  );
}
