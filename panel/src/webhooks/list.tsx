import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { mayChange } from '../session/projects.ts';
import { sessionQuery } from '../session/session.ts';
import { type Column, List } from '../shell/list.tsx';
import { Empty } from '../shell/messages.tsx';
import { NewLink } from '../shell/new-link.tsx';
import { Page } from '../shell/page.tsx';
import { Time } from '../shell/time.tsx';
import { webhooksQuery } from './queries.ts';
import { WebhookState } from './state.tsx';
import { typesInWords, type Webhook } from './webhooks.ts';

const columns: Column<Webhook>[] = [
  {
    name: 'Name',
    show: ({ id, name }) => (
      <Anchor
        inherit
        renderRoot={(props) => <Link to="/webhooks/$id" params={{ id: String(id) }} {...props} />}
      >
        {name}
      </Anchor>
    ),
  },
  {
    name: 'URL',
    show: ({ url }) => (
      <Text size="sm" className="breaks">
        {url}
      </Text>
    ),
  },
  { name: 'Events', show: typesInWords },
  { name: 'State', show: (webhook) => <WebhookState webhook={webhook} /> },
  {
    name: 'Last success',
    show: ({ last_success_at: at }) => (at ? <Time at={at} relative /> : 'none yet'),
  },
];

/** The URLs to which the events of the project are sent. */
export function WebhooksPage() {
  const { data: session } = useQuery(sessionQuery);
  if (!session?.project) return null;
  return mayChange(session.project) ? <Webhooks /> : <NotAllowed />;
}

function Webhooks() {
  const query = useQuery(webhooksQuery);
  const add = <NewLink to="/webhooks/new">New webhook</NewLink>;
  return (
    <Page title="Webhooks" action={add}>
      <List
        name="webhooks"
        query={query}
        columns={columns}
        empty={
          <Empty title="This project has no webhooks">
            <Text>
              Berth sends the events of the project to a program of yours as they happen, without a
              connection that it has to keep open.
            </Text>
            {add}
          </Empty>
        }
      />
    </Page>
  );
}

function NotAllowed() {
  return (
    <Page title="Webhooks">
      <Empty title="Viewers cannot see webhooks">
        <Text>
          A URL may be a secret of its receiver. Ask an owner of the project to make you a member.
        </Text>
      </Empty>
    </Page>
  );
}
