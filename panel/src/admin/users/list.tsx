import { Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { say, sayFailed } from '../../servers/actions/toasts.tsx';
import { sessionQuery } from '../../session/session.ts';
import { List } from '../../shell/list.tsx';
import { Page } from '../../shell/page.tsx';
import { Question, useAsked } from '../../shell/question.tsx';
import { Time } from '../../shell/time.tsx';
import { AddLink, OneLink } from '../links.tsx';
import { type User, usersQuery } from './queries.ts';

/** All people who can sign in. */
export function UsersPage() {
  const query = useQuery(usersQuery);
  const queries = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const { asked, ask, ...question } = useAsked<User>();
  const enabling = useMutation({
    mutationFn: ({ id }: User) => setEnabled(id, true),
    onError: (error) => sayFailed('The user was not enabled', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
  const disable = async () => {
    if (!asked) return;
    await setEnabled(asked.id, false);
    await queries.invalidateQueries({ queryKey: ['users'] });
    say(`${asked.email} was disabled`, []);
  };
  return (
    <Page title="Users" action={<AddLink to="/admin/users/new">Add a user</AddLink>}>
      <List
        name="users"
        query={query}
        columns={[
          {
            name: 'Email address',
            show: ({ id, email }) => (
              <OneLink to="/admin/users/$id" id={id}>
                {email}
              </OneLink>
            ),
          },
          { name: 'Name', show: ({ name }) => name },
          { name: 'State', show: (user) => <State user={user} /> },
          { name: 'Added', show: ({ created_at }) => <Time at={created_at} relative /> },
        ]}
        actions={(user) =>
          user.id !== session?.user.id &&
          (user.enabled ? (
            <Button variant="subtle" color="red" size="xs" onClick={() => ask(user)}>
              Disable<span className="sr-only"> {user.email}</span>
            </Button>
          ) : (
            <Button
              variant="subtle"
              size="xs"
              loading={enabling.isPending && enabling.variables.id === user.id}
              onClick={() => enabling.mutate(user)}
            >
              Enable<span className="sr-only"> {user.email}</span>
            </Button>
          ))
        }
      />
      <Question
        {...question}
        title={`Disable ${asked?.email}?`}
        answer="Disable the user"
        act={disable}
      >
        Their sessions end, and their tokens are refused, until they are enabled again.
      </Question>
    </Page>
  );
}

const setEnabled = (id: number, enabled: boolean) =>
  berth.PATCH('/v1/users/{id}', { params: { path: { id } }, body: { enabled } });

function State({ user: { enabled, is_admin, has_password } }: { user: User }) {
  return (
    <Group gap={6}>
      {!enabled && (
        <Badge variant="outline" color="red" tt="none">
          disabled
        </Badge>
      )}
      {is_admin && (
        <Badge variant="default" tt="none">
          administrator
        </Badge>
      )}
      <Text size="sm" c="dimmed">
        {has_password ? 'with a password' : 'without a password'}
      </Text>
    </Group>
  );
}
