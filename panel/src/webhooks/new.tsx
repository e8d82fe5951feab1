import { Anchor, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../api/berth.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { inBackground } from '../background.ts';
import { Form } from '../shell/form.tsx';
import { Page } from '../shell/page.tsx';
import { Fields } from './fields.tsx';
import { codes, names, newWebhookOf } from './form.ts';
import { webhooksQuery } from './queries.ts';
import { WebhookSecret } from './secret.tsx';

export function NewWebhookPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    // Nothing keeps the secret once the page is left.
    gcTime: 0,
    mutationFn: async (form: FormData) =>
      (await berth.POST('/v1/webhooks', { body: newWebhookOf(form) })).data,
    onSuccess: () => queries.invalidateQueries(webhooksQuery),
  });
  const { error, isPending, data: created } = creating;
  const { fields, rest } = fieldErrors(error, names, codes);
  const show = (id: number) => navigate({ to: '/webhooks/$id', params: { id: String(id) } });
  return (
    <Page title="New webhook">
      <Form
        button="Create the webhook"
        submit={(form) => creating.mutate(new FormData(form))}
        {...{ isPending, error, rest }}
      >
        <Fields errors={fields} />
        <Text size="sm" c="dimmed">
          Each event is signed, so that the receiver can verify who sent it.{' '}
          <Anchor href="/help/webhooks" underline="always">
            How to receive events
          </Anchor>
        </Text>
      </Form>
      {created && (
        <WebhookSecret
          webhook={created}
          button="Go to the webhook"
          goOn={() => inBackground(show(created.id))}
        >
          Give it to the receiver, which verifies the signature of each event with it.
        </WebhookSecret>
      )}
    </Page>
  );
}
