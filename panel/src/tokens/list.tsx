import { Anchor, Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { counted } from '../format/units.ts';
import { say } from '../servers/actions/toasts.tsx';
import { sessionQuery } from '../session/session.ts';
import { List } from '../shell/list.tsx';
import { Empty } from '../shell/messages.tsx';
import { NewLink } from '../shell/new-link.tsx';
import { Page } from '../shell/page.tsx';
import { Question, useAsked } from '../shell/question.tsx';
import { Time } from '../shell/time.tsx';
import { tokensQuery } from './queries.ts';
import { scopesInWords } from './scopes.ts';
import { hasExpired, holderOf, mayRevoke, type Token } from './tokens.ts';

/** The tokens of the project, with which programs use the API. */
export function TokensPage() {
  const query = useQuery(tokensQuery);
  const { data: session } = useQuery(sessionQuery);
  const queries = useQueryClient();
  const { asked, ask, ...question } = useAsked<Token>();
  if (!session) return null;
  const revoke = async () => {
    if (!asked) return;
    const params = { path: { id: asked.id } };
    const { data } = await berth.DELETE('/v1/tokens/{id}', { params });
    await queries.invalidateQueries(tokensQuery);
    const others = counted(data.revoked_tokens - 1, 'token');
    const details = data.revoked_tokens > 1 ? [`${others} created with it ended as well.`] : [];
    say(`The token ${asked.name} was revoked`, details);
  };
  const add = <NewLink to="/tokens/new">New token</NewLink>;
  return (
    <Page title="Tokens" action={add}>
      <List
        name="tokens"
        query={query}
        columns={[
          { name: 'Name', show: ({ name }) => name },
          { name: 'Allows to', show: ({ scopes }) => scopesInWords(scopes) },
          { name: 'Belongs to', show: (token) => holderOf(token, session) },
          { name: 'Expires', show: (token) => <Expiry token={token} /> },
          {
            name: 'Last use',
            show: ({ last_used_at: at }) => (at ? <Time at={at} relative /> : 'never'),
          },
        ]}
        actions={(token) =>
          mayRevoke(token, session) && (
            <Button variant="subtle" color="red" size="xs" onClick={() => ask(token)}>
              Revoke<span className="sr-only"> {token.name}</span>
            </Button>
          )
        }
        empty={
          <Empty title="This project has no tokens">
            <Text>
              Programs use{' '}
              <Anchor href="/docs" underline="always">
                the API
              </Anchor>{' '}
              with a token, and so does the command line.
            </Text>
            {add}
          </Empty>
        }
      />
      <Question
        {...question}
        title={`Revoke ${asked?.name}?`}
        answer="Revoke the token"
        act={revoke}
      >
        Programs that use the token are refused at once, and so are those with tokens that were
        created with it.
      </Question>
    </Page>
  );
}

function Expiry({ token }: { token: Token }) {
  if (!token.expires_at) return 'never';
  const time = <Time at={token.expires_at} relative />;
  return hasExpired(token, Date.now()) ? <Text size="sm">expired {time}</Text> : time;
}
