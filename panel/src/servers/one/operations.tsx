import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { inBackground } from '../../background.ts';
import { OneOperation } from '../../operations/one-operation.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { operationsQuery } from './queries.ts';

/** What was done to a server, the latest first, and what is being done. */
export function Operations({ serverId }: { serverId: number }) {
  const { data, error, refetch } = useQuery(operationsQuery(serverId));
  if (error && !data)
    return (
      <Failure
        title="The operations cannot be shown"
        error={error}
        retry={() => inBackground(refetch())}
      />
    );
  if (!data) return <Loading />;
  return (
    <Stack component="ol" gap="sm" p={0} m={0} className="plain-list">
      {data.map((operation) => (
        <li key={operation.id}>
          <OneOperation operation={operation} />
        </li>
      ))}
    </Stack>
  );
}
