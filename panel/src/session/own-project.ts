import { queryOptions, useQuery } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { sessionQuery } from './session.ts';

/** A project with its settings, as each of its members may see it. */
export const projectQuery = (projectId: number) =>
  queryOptions({
    queryKey: ['project', projectId],
    // Administrators change the settings on other pages, and in other browsers.
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const params = { path: { id: projectId } };
      return (await berth.GET('/v1/projects/{id}', { params, signal })).data;
    },
  });

/** The chosen project. Nothing is asked without one. */
export function useOwnProject() {
  const { data: session } = useQuery(sessionQuery);
  const projectId = session?.project?.id ?? 0;
  return useQuery({ ...projectQuery(projectId), enabled: projectId > 0 });
}
