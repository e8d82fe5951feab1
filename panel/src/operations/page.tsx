import { Anchor, Button, Card, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { inBackground } from '../background.ts';
import { count } from '../format/units.ts';
import { Empty, Failure, Loading } from '../shell/messages.tsx';
import { useTitle } from '../shell/title.ts';
import { Filters } from './filters.tsx';
import { OneOperation } from './one-operation.tsx';
import { operationsQuery, pageSize } from './queries.ts';
import { hasFilters, type OperationSearch } from './search.ts';
import { TargetName } from './target.tsx';

const route = getRouteApi('/signed-in/operations');

/** What was done in the project, the latest first, and what is being done. */
export function OperationsPage() {
  useTitle('Operations');
  const search = route.useSearch();
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        Operations
      </Title>
      <Filters search={search} />
      <Operations key={JSON.stringify(search)} search={search} />
    </Stack>
  );
}

function Operations({ search }: { search: OperationSearch }) {
  const [most, setMost] = useState(pageSize);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...operationsQuery(search, most),
    placeholderData: keepPreviousData,
  });
  if (error && !data) {
    return (
      <Failure
        title="The operations cannot be shown"
        error={error}
        retry={() => inBackground(refetch())}
      />
    );
  }
  if (!data) return <Loading />;
  if (data.length === 0) return <NoOperations isFiltered={hasFilters(search)} />;
  const shown = data.slice(0, most);
  const isMore = isPlaceholderData || data.length > most;
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {isMore ? `The latest ${count(shown.length)} operations` : `${count(shown.length)} in all`}
      </Text>
      <Stack component="ol" gap="xs" p={0} m={0} className="plain-list" aria-label="Operations">
        {shown.map((operation) => (
          <Card key={operation.id} component="li" withBorder p="sm">
            <OneOperation operation={operation} target={<TargetName operation={operation} />} />
          </Card>
        ))}
      </Stack>
      {isMore && (
        <Button
          variant="default"
          loading={isPlaceholderData}
          onClick={() => setMost(most + pageSize)}
        >
          Show earlier operations
        </Button>
      )}
    </>
  );
}

function NoOperations({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No operation matches the filters">
        <Anchor renderRoot={(props) => <Link to="/operations" {...props} />}>
          Show all operations
        </Anchor>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing was done in this project yet">
      <Text>
        Each change of a server is an operation. Begin at{' '}
        <Anchor underline="always" renderRoot={(props) => <Link to="/servers" {...props} />}>
          the servers
        </Anchor>
        .
      </Text>
    </Empty>
  );
}
