import { BerthError, type components } from '@berth/client';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { berth } from '../../../api/berth.ts';
import { isSignedOut } from '../../../api/words.ts';
import { type Body, bodyOf, type Values } from '../form.ts';
import { obstaclesOf } from './obstacles.ts';

/** What the create would do, or what is in its way. */
interface Outcome {
  plan?: components['schemas']['ServerDryRun'];
  obstacles: string[];
}

const pauseMs = 600;
/** Stands for a password that is not generated yet. */
const standIn = 'x'.repeat(24);

/** The rest is not worth a question without these. */
const isComplete = ({ name, location_id, os_id }: Values) =>
  Boolean(name.trim() && location_id && os_id);

/** The outcome of the create, asked for after each pause. A question takes the place of the one before. */
export function useDryRun(values: Values) {
  const [settled] = useDebouncedValue(values, pauseMs);
  const { data, error, isFetching } = useQuery({
    ...dryRunQuery(bodyOf(settled, settled.password || standIn)),
    enabled: isComplete(settled),
    placeholderData: keepPreviousData,
  });
  return {
    isAsked: isComplete(values),
    isChecking: isFetching || settled !== values,
    outcome: error ? { obstacles: obstaclesOf(error) } : data,
  };
}

const dryRunQuery = (body: Body) => ({
  queryKey: ['dry-run', body],
  // Other servers change what it says, and the body may have secrets.
  staleTime: 0,
  gcTime: 0,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Outcome> => {
    try {
      const { data } = await berth.POST('/v1/servers/dry-run', { body, signal });
      return { plan: data, obstacles: [] };
    } catch (error) {
      // A refusal is an outcome, which is shown until the next one.
      if (error instanceof BerthError && error.status && !isSignedOut(error))
        return { obstacles: obstaclesOf(error) };
      throw error;
    }
  },
});
