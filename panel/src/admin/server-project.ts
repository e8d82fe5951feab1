import type { QueryClient } from '@tanstack/react-query';
import { chooseProject, sessionQuery } from '../session/session.ts';
import { installation } from './client.ts';

/** Chooses the project of a server, in which its page is. */
export async function enterProjectOf(queries: QueryClient, id: number): Promise<void> {
  const session = await queries.ensureQueryData(sessionQuery);
  const params = { path: { id } };
  const { data: server } = await installation.GET('/v1/servers/{id}', { params });
  const project = session?.projects.find((one) => one.id === server.project_id);
  if (!project || project.id === session?.project?.id) return;
  chooseProject(project);
  queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' });
  await queries.refetchQueries(sessionQuery);
}
