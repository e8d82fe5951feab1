import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { inBackground } from '../../../background.ts';
import type { Server } from '../../../live/apply.ts';
import { Failure, Loading } from '../../../shell/messages.tsx';
import { Allowance } from './allowance.tsx';
import { usageQuery } from './queries.ts';
import { type Span, spanNames, spans } from './span.ts';

// Charts are the only part of the page with a library of their own.
const Charts = lazy(() => import('./charts.tsx'));

/** What the server has used over time, and of its traffic allowance. */
export function Usage({ server, span }: { server: Server; span: Span }) {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({
    ...usageQuery(server.id, span),
    placeholderData: keepPreviousData,
  });
  const choose = (last: string) =>
    inBackground(
      navigate({
        to: '/servers/$id',
        params: { id: String(server.id) },
        search: { last: last as Span },
        replace: true,
        resetScroll: false,
      }),
    );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="How far back"
          data={spans.map((value) => ({ value, label: spanNames[value] }))}
          value={span}
          onChange={choose}
        />
        <Text size="xs" c="dimmed">
          Times are in your zone: {Intl.DateTimeFormat().resolvedOptions().timeZone}
        </Text>
      </Group>
      <Allowance serverId={server.id} />
      {error && (
        <Failure
          title="The usage cannot be shown"
          error={error}
          retry={() => inBackground(refetch())}
        />
      )}
      {!data && !error && <Loading />}
      {data && (
        <Suspense fallback={<Loading />}>
          <Charts history={data} span={span} specifications={server.specifications} />
        </Suspense>
      )}
    </Stack>
  );
}
