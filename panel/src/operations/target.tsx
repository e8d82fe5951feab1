import type { Operation } from '@berth/client';
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { mostServers, serversQuery } from '../servers/list/queries.ts';

type Of = Pick<Operation, 'server_id' | 'node'>;

/** What an operation is done to, with a link to a server that exists. */
export function Target({ operation: { server_id, node } }: { operation: Of }) {
  // The list has the present names, and events keep them.
  const { data: servers } = useQuery(serversQuery({}));
  if (server_id === null) return node;
  const name = servers?.find(({ id }) => id === server_id)?.hostname;
  const isAll = servers && servers.length < mostServers;
  if (isAll && !name) return `server ${server_id}, which was deleted`;
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => (
        <Link to="/servers/$id" params={{ id: String(server_id) }} {...props} />
      )}
    >
      {name ?? `server ${server_id}`}
    </Anchor>
  );
}
