import type { components } from '@berth/client';
import { Button, Code, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { say } from '../servers/actions/toasts.tsx';
import { useMayChange } from '../session/may-change.ts';
import { type Column, List } from '../shell/list.tsx';
import { Empty } from '../shell/messages.tsx';
import { NewLink } from '../shell/new-link.tsx';
import { Page } from '../shell/page.tsx';
import { Question, useAsked } from '../shell/question.tsx';
import { Time } from '../shell/time.tsx';
import { keysQuery } from './queries.ts';

type SshKey = components['schemas']['SshKey'];

const columns: Column<SshKey>[] = [
  { name: 'Name', show: ({ name }) => name },
  { name: 'Fingerprint', show: ({ fingerprint }) => <Code className="breaks">{fingerprint}</Code> },
  { name: 'Added', show: ({ created_at }) => <Time at={created_at} relative /> },
];

/** The public keys of the project, with which people log in to its servers. */
export function SshKeysPage() {
  const query = useQuery(keysQuery);
  const isAllowed = useMayChange();
  const queries = useQueryClient();
  const { asked, ask, ...question } = useAsked<SshKey>();
  const remove = async () => {
    if (!asked) return;
    await berth.DELETE('/v1/ssh-keys/{id}', { params: { path: { id: asked.id } } });
    await queries.invalidateQueries(keysQuery);
    say(`The SSH key ${asked.name} was deleted`, []);
  };
  const add = <NewLink to="/ssh-keys/new">Add an SSH key</NewLink>;
  const deletion = (key: SshKey) => (
    <Button variant="subtle" color="red" size="xs" onClick={() => ask(key)}>
      Delete<span className="sr-only"> {key.name}</span>
    </Button>
  );
  return (
    <Page title="SSH keys" action={add}>
      <List
        name="SSH keys"
        query={query}
        columns={columns}
        {...(isAllowed && { actions: deletion })}
        empty={
          <Empty title="This project has no SSH keys">
            <Text>A new server lets in those whose public keys you choose for it.</Text>
            {add}
          </Empty>
        }
      />
      <Question {...question} title={`Delete ${asked?.name}?`} answer="Delete the key" act={remove}>
        No further server can be created with the key. Servers that have it keep it: remove it from{' '}
        <Code>/root/.ssh/authorized_keys</Code> of each.
      </Question>
    </Page>
  );
}
