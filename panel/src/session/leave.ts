import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery } from './session.ts';

/** Forgets what was read in a session that has ended, and leads to the sign-in. */
export function useLeave(): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    // The next person does not begin at the page of this one.
    await router.navigate({ to: '/servers' });
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, null);
    await router.invalidate();
  };
}
