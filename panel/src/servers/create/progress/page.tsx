import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isMissing } from '../../../api/words.ts';
import { inBackground } from '../../../background.ts';
import { useActivity } from '../../../live/live.tsx';
import { Empty, Failure, Loading } from '../../../shell/messages.tsx';
import { Page } from '../../../shell/page.tsx';
import { serverQuery } from '../../one/queries.ts';
import { Creation } from './creation.tsx';
import { creationQuery } from './queries.ts';

const route = getRouteApi('/signed-in/servers/$id/creation');

/** How a server is created, or was. */
export function CreationPage() {
  const id = Number(route.useParams().id);
  const server = useQuery(serverQuery(id));
  const creation = useQuery(creationQuery(id));
  useNews(id);
  const error = server.error ?? creation.error;
  if (isMissing(error)) {
    return (
      <Empty title="There is no such server" isWhole>
        <Text>It was deleted, or belongs to another project.</Text>
        <Anchor renderRoot={(props) => <Link to="/servers" {...props} />}>Show all servers</Anchor>
      </Empty>
    );
  }
  if (error && !(server.data && creation.data !== undefined))
    return <Failure title="The creation cannot be shown" error={error} />;
  if (!server.data || creation.data === undefined) return <Loading />;
  const { hostname } = server.data;
  return (
    <Page title={`Creation of ${hostname}`}>
      <Stack gap="md" maw={900}>
        {creation.data ? (
          <Creation server={server.data} operation={creation.data} />
        ) : (
          <Text>{hostname} was not created by Berth, but adopted.</Text>
        )}
      </Stack>
    </Page>
  );
}

/** Reads the operation again whenever an event says that it has gone on. */
function useNews(serverId: number): void {
  const queries = useQueryClient();
  const { message, progress } = useActivity(serverId) ?? {};
  useEffect(() => {
    if (message === undefined && progress === undefined) return;
    for (const what of ['creation', 'reports'])
      inBackground(queries.invalidateQueries({ queryKey: ['server', serverId, what] }));
  }, [queries, serverId, message, progress]);
}
