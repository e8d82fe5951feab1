import { useQuery } from '@tanstack/react-query';
import { locationsQuery } from '../../../api/queries.ts';
import { useOwnProject } from '../../../session/own-project.ts';
import { sessionQuery } from '../../../session/session.ts';
import type { Values } from '../form.ts';
import { quotaQuery, sizesQuery, systemsQuery } from '../queries.ts';
import { sizesAt } from './offered.ts';
import { leftOf } from './quota.ts';

/** The sizes of the chosen place, and what decides about them. */
export function useSizes({ location_id, os_id }: Pick<Values, 'location_id' | 'os_id'>) {
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: systems = [] } = useQuery(systemsQuery);
  const { data: sizes = [] } = useQuery(sizesQuery);
  const { data: session } = useQuery(sessionQuery);
  const { data: project } = useOwnProject();
  const projectId = session?.project?.id ?? 0;
  const { data: quota } = useQuery({ ...quotaQuery(projectId), enabled: projectId > 0 });
  const location = locations.find(({ id }) => String(id) === location_id);
  return {
    location,
    system: systems.find(({ id }) => String(id) === os_id),
    offered: sizesAt(sizes, location?.id),
    isRequired: project?.sizes_only ?? false,
    left: quota ? leftOf(quota) : {},
  };
}
