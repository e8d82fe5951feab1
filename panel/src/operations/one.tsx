import type { Operation } from '@berth/client';
import { Anchor, Card, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isMissing } from '../api/words.ts';
import { inBackground } from '../background.ts';
import { CommandResults } from '../servers/create/progress/command-results.tsx';
import { Fact, Facts } from '../shell/facts.tsx';
import { Failure, Loading } from '../shell/messages.tsx';
import { Missing } from '../shell/missing.tsx';
import { Page } from '../shell/page.tsx';
import { Time } from '../shell/time.tsx';
import { OneOperation } from './one-operation.tsx';
import { operationQuery } from './queries.ts';
import { TargetName } from './target.tsx';

const route = getRouteApi('/signed-in/operations/$id');

/** What one operation does or has done, with the outputs of its commands. */
export function OperationPage() {
  const id = Number(route.useParams().id);
  const { data, error, refetch } = useQuery(operationQuery(id));
  if (isMissing(error)) return <Missing what="operation" to="/operations" />;
  if (data) return <Shown operation={data} />;
  if (!error) return <Loading />;
  const retry = () => inBackground(refetch());
  return <Failure title="The operation cannot be shown" error={error} retry={retry} />;
}

function Shown({ operation }: { operation: Operation }) {
  const { id, kind, server_id, status, created_at, started_at, finished_at } = operation;
  const results = operation.commands ?? [];
  return (
    <Page title={`Operation ${id}`}>
      <Stack gap="md" maw={900}>
        <Card withBorder>
          <Stack gap="sm">
            <OneOperation operation={operation} target={<TargetName operation={operation} />} />
            <Facts>
              <At name="Requested" at={created_at} />
              <At name="Begun" at={started_at} />
              <At name="Ended" at={finished_at} />
            </Facts>
          </Stack>
        </Card>
        {results.length > 0 && (
          <Card withBorder component="section" aria-label="Commands">
            <Title order={2} size="h5" mb="sm">
              Commands
            </Title>
            <CommandResults {...{ results, status }} total={results.length} texts={[]} />
          </Card>
        )}
        {kind === 'create' && server_id !== null && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/servers/$id/creation" params={{ id: String(server_id) }} {...props} />
            )}
          >
            Show the creation step by step
          </Anchor>
        )}
      </Stack>
    </Page>
  );
}

function At({ name, at }: { name: string; at: string | null }) {
  if (!at) return null;
  return (
    <Fact name={name}>
      <Time at={at} />
    </Fact>
  );
}
