import { Anchor, Button, Card, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { inBackground } from '../background.ts';
import { count, counted } from '../format/units.ts';
import { type Session, sessionQuery } from '../session/session.ts';
import { Empty, Failure, Loading } from '../shell/messages.tsx';
import { Page } from '../shell/page.tsx';
import type { Known } from './callers.ts';
import { OneEntry } from './entry.tsx';
import { Filters } from './filters.tsx';
import { useKnown } from './known.ts';
import { auditQuery, pageSize } from './queries.ts';
import { type AuditSearch, hasFilters } from './search.ts';

const route = getRouteApi('/signed-in/audit');

/** Who changed what in the project, and what was refused, the latest first. */
export function AuditPage() {
  const { data: session } = useQuery(sessionQuery);
  return <Page title="Audit log">{session && <Log session={session} />}</Page>;
}

function Log({ session }: { session: Session }) {
  const search = route.useSearch();
  const known = useKnown(session);
  return (
    <>
      <Filters search={search} known={known} />
      <Entries key={JSON.stringify(search)} search={search} known={known} />
    </>
  );
}

function Entries({ search, known }: { search: AuditSearch; known: Known }) {
  const [most, setMost] = useState(pageSize);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...auditQuery(search, most),
    placeholderData: keepPreviousData,
  });
  if (error && !data) {
    return (
      <Failure
        title="The audit log cannot be shown"
        error={error}
        retry={() => inBackground(refetch())}
      />
    );
  }
  if (!data) return <Loading />;
  if (data.length === 0) return <NoEntries isFiltered={hasFilters(search)} />;
  const shown = data.slice(0, most);
  const isMore = isPlaceholderData || data.length > most;
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {isMore
          ? `The latest ${count(shown.length)} entries`
          : counted(shown.length, 'entry', 'entries')}
        {search.target && `, about one ${search.kind === 'server' ? 'server' : 'object'}`}
      </Text>
      <Stack component="ol" gap="xs" p={0} m={0} className="plain-list" aria-label="Entries">
        {shown.map((entry) => (
          <Card key={entry.id} component="li" withBorder p="sm">
            <OneEntry entry={entry} known={known} />
          </Card>
        ))}
      </Stack>
      {isMore && (
        <Button
          variant="default"
          loading={isPlaceholderData}
          onClick={() => setMost(most + pageSize)}
        >
          Show earlier entries
        </Button>
      )}
    </>
  );
}

function NoEntries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No entry matches the filters">
        <Anchor renderRoot={(props) => <Link to="/audit" {...props} />}>Show all entries</Anchor>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing was changed in this project yet">
      <Text>
        Each change is recorded here, with who made it, and so are requests that were refused.
      </Text>
    </Empty>
  );
}
