import { Alert, Anchor, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isMissing } from '../api/words.ts';
import { inBackground } from '../background.ts';
import { nameOf } from '../events/type-words.ts';
import { Fact, Facts } from '../shell/facts.tsx';
import { Failure, Loading } from '../shell/messages.tsx';
import { Time } from '../shell/time.tsx';
import { useTitle } from '../shell/title.ts';
import { WebhookButtons } from './buttons.tsx';
import type { DeliverySearch } from './deliveries.ts';
import { Deliveries } from './deliveries-list.tsx';
import { NoWebhook } from './missing.tsx';
import { webhookQuery } from './queries.ts';
import { WebhookState } from './state.tsx';
import { stateOf, type Webhook } from './webhooks.ts';

const route = getRouteApi('/signed-in/webhooks/$id');

/** A webhook, and what was sent to it. */
export function WebhookPage() {
  const id = Number(route.useParams().id);
  const search = route.useSearch();
  const { data: webhook, error, refetch } = useQuery(webhookQuery(id));
  useTitle(webhook?.name ?? 'Webhook');
  if (isMissing(error)) return <NoWebhook />;
  if (error && !webhook) {
    const retry = () => inBackground(refetch());
    return <Failure title="The webhook cannot be shown" error={error} retry={retry} />;
  }
  return webhook ? <WebhookDetails webhook={webhook} search={search} /> : <Loading />;
}

interface DetailsProps {
  webhook: Webhook;
  search: DeliverySearch;
}

function WebhookDetails({ webhook, search }: DetailsProps) {
  return (
    <Stack gap="md">
      <Anchor size="sm" renderRoot={(props) => <Link to="/webhooks" {...props} />}>
        Webhooks
      </Anchor>
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2" className="breaks">
          {webhook.name}
        </Title>
        <WebhookButtons webhook={webhook} />
      </Group>
      <State webhook={webhook} />
      <Card withBorder component="section" aria-label="Webhook">
        <WebhookFacts webhook={webhook} />
      </Card>
      <Stack component="section" aria-label="Deliveries" gap="sm">
        <Title order={2} size="h4">
          Deliveries
        </Title>
        <Deliveries key={search.status} webhookId={webhook.id} search={search} />
      </Stack>
    </Stack>
  );
}

function State({ webhook }: { webhook: Webhook }) {
  const { explanation, word } = stateOf(webhook);
  const since = word === 'paused' ? webhook.paused_at : webhook.failing_since;
  if (word === 'active' || word === 'disabled') {
    return (
      <Group gap="sm">
        <WebhookState webhook={webhook} />
        <Text size="sm">{explanation}</Text>
      </Group>
    );
  }
  return (
    <Alert
      color={word === 'paused' ? 'red' : 'yellow'}
      variant="outline"
      maw={720}
      title={
        <span>
          {word === 'paused' ? 'Paused' : 'Failing'}{' '}
          {since && (
            <>
              since <Time at={since} />
            </>
          )}
        </span>
      }
    >
      {explanation}
    </Alert>
  );
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { url, types, label_selector, header_names, former_secret_valid_until: until } = webhook;
  return (
    <Facts>
      <Fact name="URL">{url}</Fact>
      <Fact name="Events">{types.map(nameOf).join(', ') || 'all'}</Fact>
      {label_selector && (
        <Fact name="Labels">
          <Code>{label_selector}</Code>
        </Fact>
      )}
      {header_names.length > 0 && <Fact name="Headers">{header_names.join(', ')}</Fact>}
      <Fact name="Last success">
        {webhook.last_success_at ? <Time at={webhook.last_success_at} relative /> : 'none yet'}
      </Fact>
      {until && Date.parse(until) > Date.now() && (
        <Fact name="Secrets">
          Two are valid until <Time at={until} />: events are signed with both.
        </Fact>
      )}
      <Fact name="Created">
        <Time at={webhook.created_at} />
      </Fact>
    </Facts>
  );
}
