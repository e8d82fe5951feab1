import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count, counted } from '../../format/units.ts';
import type { Server } from '../../live/apply.ts';
import statusClasses from '../../servers/status.module.css';
import { wordOf } from '../../servers/status.tsx';
import { sessionQuery } from '../../session/session.ts';
import classes from './nodes.module.css';
import type { Node } from './queries.ts';

const shownAtFirst = 40;

/** The servers of a node, each of which leads to its page. */
export function Servers({ node, servers }: { node: Node; servers: readonly Server[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? servers : servers.slice(0, shownAtFirst);
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {counted(node.servers, 'server')}
      </Text>
      {shown.length > 0 && (
        <ul className={`plain-list ${classes.servers}`} aria-label={`Servers on ${node.name}`}>
          {shown.map((server) => (
            <li key={server.id}>
              <Block server={server} />
            </li>
          ))}
        </ul>
      )}
      {shown.length < servers.length && (
        <Button variant="subtle" size="xs" mt={4} onClick={() => setWhole(true)}>
          Show {count(servers.length - shown.length)} more
        </Button>
      )}
    </div>
  );
}

function Block({ server }: { server: Server }) {
  const { data: session } = useQuery(sessionQuery);
  const project = session?.projects.find(({ id }) => id === server.project_id)?.name;
  const word = wordOf(server);
  return (
    <Link
      to="/admin/servers/$id"
      params={{ id: String(server.id) }}
      // Going there may choose another project.
      preload={false}
      className={classes.server ?? ''}
      title={`${server.hostname}: ${word}${project ? `, in the project ${project}` : ''}`}
    >
      <span className={statusClasses.dot} data-status={word} aria-hidden />
      <span>{server.hostname}</span>
    </Link>
  );
}
