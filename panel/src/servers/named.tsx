import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { mostServers, serversQuery } from './list/queries.ts';

/** The name of a server, with a link to it if it exists. */
export function NamedServer({ id: serverId }: { id: number }) {
  // The list has the present names, and events keep them.
  const { data: servers } = useQuery(serversQuery({}));
  const name = servers?.find(({ id }) => id === serverId)?.hostname;
  const isAll = servers && servers.length < mostServers;
  if (isAll && !name) return `server ${serverId}, which was deleted`;
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => (
        <Link to="/servers/$id" params={{ id: String(serverId) }} {...props} />
      )}
    >
      {name ?? `server ${serverId}`}
    </Anchor>
  );
}
