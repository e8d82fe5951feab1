import { Anchor, Button, Group, Text } from '@mantine/core';
import IconDownload from '@tabler/icons-react/icons/IconDownload';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { inBackground } from '../background.ts';
import { projectQuery } from '../session/own-project.ts';
import type { Project } from '../session/projects.ts';
import { sessionQuery } from '../session/session.ts';
import { Empty, Failure, Loading } from '../shell/messages.tsx';
import { NewLink } from '../shell/new-link.tsx';
import { Page } from '../shell/page.tsx';
import { Bars } from './bars.tsx';
import { type Statement, usualMeasure } from './measures.ts';
import { MonthPicker } from './month-picker.tsx';
import { monthName, monthOf } from './months.ts';
import { csvUrl, statementQuery } from './queries.ts';
import { readStatementSearch, type StatementSearch } from './search.ts';
import { Servers } from './servers.tsx';
import { Totals } from './totals.tsx';

const route = getRouteApi('/signed-in/statement');

/** What the project used and what that costs, by month. */
export function StatementPage() {
  const { data: session } = useQuery(sessionQuery);
  return <Page title="Statement">{session?.project && <Monthly project={session.project} />}</Page>;
}

function Monthly({ project }: { project: Project }) {
  const current = monthOf(Date.now());
  const { month = current, by = usualMeasure } = route.useSearch();
  const navigate = useNavigate();
  const change = (changed: StatementSearch) =>
    inBackground(
      navigate({
        to: '/statement',
        search: (found) => readStatementSearch({ ...found, ...changed }),
        replace: true,
        resetScroll: false,
      }),
    );
  const { data: details } = useQuery(projectQuery(project.id));
  const { data, error, refetch } = useQuery(statementQuery(project.id, month));
  return (
    <>
      <Group justify="space-between" gap="sm">
        <MonthPicker
          {...{ month, current }}
          first={details ? details.created_at.slice(0, 7) : current}
          choose={(chosen) => change({ month: chosen })}
        />
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          renderRoot={(props) => <a href={csvUrl(project.id, month)} download {...props} />}
        >
          Download as CSV
        </Button>
      </Group>
      {error && !data && (
        <Failure
          title="The statement cannot be shown"
          error={error}
          retry={() => inBackground(refetch())}
        />
      )}
      {!data && !error && <Loading />}
      {data && <Details statement={data} current={current} by={by} change={change} />}
    </>
  );
}

interface DetailsProps {
  statement: Statement;
  current: string;
  by: NonNullable<StatementSearch['by']>;
  change: (changed: StatementSearch) => void;
}

function Details({ statement, current, by, change }: DetailsProps) {
  const { servers, is_final: isFinal, month, to } = statement;
  if (servers.length === 0) {
    return (
      <Empty title={`No servers in ${monthName(month)}`}>
        <Text>A statement has each server that existed in the month, also deleted ones.</Text>
        {month === current ? (
          <NewLink to="/servers/new">New server</NewLink>
        ) : (
          <Anchor renderRoot={(props) => <Link to="/statement" {...props} />}>
            Show the current month
          </Anchor>
        )}
      </Empty>
    );
  }
  return (
    <>
      <Text size="sm" c="dimmed">
        {isFinal
          ? 'This statement is final. Months are in UTC.'
          : `Not final: it has what was counted until ${to.slice(0, 16).replace('T', ' ')} UTC. Months are in UTC.`}
      </Text>
      <Totals statement={statement} />
      <Bars servers={servers} measure={by} choose={(measure) => change({ by: measure })} />
      <Servers servers={servers} measure={by} hasPrices={statement.prices.length > 0} />
    </>
  );
}
