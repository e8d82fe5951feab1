import { Anchor, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { inBackground } from '../../background.ts';
import { counted } from '../../format/units.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { Empty, Failure, Loading } from '../../shell/messages.tsx';
import { Page } from '../../shell/page.tsx';
import { Question, useAsked } from '../../shell/question.tsx';
import { AdoptDialog } from './adopt.tsx';
import { DriftCard } from './card.tsx';
import { driftQuery } from './queries.ts';
import { type DriftSearch, hasFilters, kindNames, readDriftSearch } from './search.ts';
import type { Answer, Drift } from './words.ts';

const route = getRouteApi('/signed-in/admin/drift');

/** What somebody has changed in Incus by hand, and what to do about it. */
export function DriftPage() {
  const search = route.useSearch();
  return (
    <Page title="Drift">
      <Filters search={search} />
      <Records search={search} />
    </Page>
  );
}

function Filters({ search }: { search: DriftSearch }) {
  const navigate = useNavigate();
  const change = (changed: { [Key in keyof DriftSearch]: unknown }) =>
    inBackground(
      navigate({
        to: '/admin/drift',
        search: (current) => readDriftSearch({ ...current, ...changed }),
        replace: true,
      }),
    );
  return (
    <Group gap="md" align="flex-end" role="search" aria-label="Drift">
      <Select
        label="Kind"
        placeholder="All drift"
        flex="1 1 180px"
        maw={260}
        clearable
        clearButtonProps={{ 'aria-label': 'Any kind' }}
        data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
        value={search.kind ?? null}
        onChange={(kind) => change({ kind })}
      />
      <Switch
        label="Only what was forgotten"
        mb={8}
        checked={search.forgotten ?? false}
        onChange={({ currentTarget }) => change({ forgotten: currentTarget.checked })}
      />
    </Group>
  );
}

function Records({ search }: { search: DriftSearch }) {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    ...driftQuery(search),
    placeholderData: keepPreviousData,
  });
  const repair = useAsked<Drift>();
  const forget = useAsked<Drift>();
  const adopt = useAsked<Drift>();
  /** The latest operation on a record that was asked for here. */
  const [begun, setBegun] = useState<Record<number, number>>({});
  const readAgain = () => queries.invalidateQueries({ queryKey: ['drift'] });
  const onBegun = (record: Drift, operationId: number) =>
    setBegun((current) => ({ ...current, [record.id]: operationId }));

  const sendRepair = async () => {
    if (!repair.asked) return;
    const params = { path: { id: repair.asked.id } };
    const { data: accepted } = await berth.POST('/v1/drift/{id}/repair', { params });
    onBegun(repair.asked, accepted.operation.id);
  };
  const sendForget = async () => {
    if (!forget.asked) return;
    await berth.POST('/v1/drift/{id}/forget', { params: { path: { id: forget.asked.id } } });
    say(`${forget.asked.instance} stays as it is`, ['It is listed again if somebody changes it.']);
    await readAgain();
  };
  if (error && !data) {
    const retry = () => inBackground(refetch());
    return <Failure title="The drift cannot be shown" error={error} retry={retry} />;
  }
  if (!data) return <Loading />;
  if (data.length === 0) return <NoDrift search={search} />;
  const asking: Record<Answer, (record: Drift) => void> = {
    repair: repair.ask,
    forget: forget.ask,
    adopt: adopt.ask,
  };
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {counted(data.length, 'record')}
      </Text>
      <Stack component="ul" className="plain-list" gap="sm" p={0} m={0} aria-label="Drift">
        {data.map((record) => (
          <DriftCard
            key={record.id}
            record={record}
            ask={(answer) => asking[answer](record)}
            operationId={begun[record.id]}
            onEnd={readAgain}
          />
        ))}
      </Stack>
      <Question
        isOpen={repair.isOpen}
        close={repair.close}
        title={`Repair ${repair.asked?.instance}?`}
        answer="Repair it"
        act={sendRepair}
      >
        The instance gets what the records say. Devices and profiles that were added are removed.
        The server keeps running; its network may be interrupted for a moment.
      </Question>
      <Question
        isOpen={forget.isOpen}
        close={forget.close}
        title={`Forget this about ${forget.asked?.instance}?`}
        answer="Forget it"
        act={sendForget}
      >
        Nothing is changed. The record is no longer listed or counted, until somebody changes the
        instance in another way.
      </Question>
      {adopt.asked && (
        <AdoptDialog
          key={adopt.asked.id}
          record={adopt.asked}
          isOpen={adopt.isOpen}
          close={adopt.close}
          onBegun={onBegun}
        />
      )}
    </>
  );
}

function NoDrift({ search }: { search: DriftSearch }) {
  if (!hasFilters(search)) {
    return (
      <Empty title="There is no drift">
        <Text>Everything in Incus is as the records say.</Text>
      </Empty>
    );
  }
  return (
    <Empty title="No drift matches the filters">
      <Anchor renderRoot={(props) => <Link to="/admin/drift" {...props} />}>Show all drift</Anchor>
    </Empty>
  );
}
