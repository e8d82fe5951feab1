import { Anchor, Button, Card, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { inBackground } from '../background.ts';
import { Empty, Failure, Loading } from '../shell/messages.tsx';
import { type DeliverySearch, deliveryStatuses, readDeliverySearch } from './deliveries.ts';
import { OneDelivery } from './one-delivery.tsx';
import { deliveriesQuery, pageSize } from './queries.ts';

interface DeliveriesProps {
  webhookId: number;
  search: DeliverySearch;
}

/** What was sent to a webhook, the latest first, and what will be. */
export function Deliveries({ webhookId, search }: DeliveriesProps) {
  const navigate = useNavigate();
  const change = (status: string | null) =>
    inBackground(
      navigate({
        to: '/webhooks/$id',
        params: { id: String(webhookId) },
        search: readDeliverySearch({ status }),
        replace: true,
      }),
    );
  return (
    <>
      <Select
        label="Status"
        placeholder="Any"
        maw={180}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={[...deliveryStatuses]}
        value={search.status ?? null}
        onChange={change}
      />
      <Found webhookId={webhookId} search={search} />
    </>
  );
}

function Found({ webhookId, search }: DeliveriesProps) {
  const [most, setMost] = useState(pageSize);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...deliveriesQuery(webhookId, search, most),
    placeholderData: keepPreviousData,
  });
  if (error && !data) {
    const retry = () => inBackground(refetch());
    return <Failure title="The deliveries cannot be shown" error={error} retry={retry} />;
  }
  if (!data) return <Loading />;
  if (data.length === 0) return <NoDeliveries webhookId={webhookId} search={search} />;
  const isMore = isPlaceholderData || data.length > most;
  return (
    <>
      <Stack component="ol" gap="xs" p={0} m={0} className="plain-list" aria-label="Deliveries">
        {data.slice(0, most).map((delivery) => (
          <Card key={delivery.id} component="li" withBorder p="sm">
            <OneDelivery delivery={delivery} />
          </Card>
        ))}
      </Stack>
      {isMore && (
        <Button
          variant="default"
          loading={isPlaceholderData}
          onClick={() => setMost(most + pageSize)}
        >
          Show earlier deliveries
        </Button>
      )}
    </>
  );
}

function NoDeliveries({ webhookId, search }: DeliveriesProps) {
  if (search.status) {
    const params = { id: String(webhookId) };
    return (
      <Empty title={`No delivery is ${search.status}`}>
        <Anchor renderRoot={(props) => <Link to="/webhooks/$id" params={params} {...props} />}>
          Show all deliveries
        </Anchor>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing was sent yet">
      <Text>Send a test to see whether the receiver can be reached.</Text>
    </Empty>
  );
}
