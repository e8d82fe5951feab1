import { useQuery } from '@tanstack/react-query';
import { mayChange } from './projects.ts';
import { sessionQuery } from './session.ts';

/** Whether this person may change what is in the chosen project. */
export function useMayChange(): boolean {
  const { data: session } = useQuery(sessionQuery);
  return session?.project !== undefined && mayChange(session.project);
}
