import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';

interface StrengthProps {
  password: string;
  /** What others know about its owner. */
  about: readonly string[];
}

/** How strong a password is, once its estimator is loaded. */
export function Strength({ password, about }: StrengthProps) {
  const { data: estimator } = useQuery({
    queryKey: ['estimator'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => import('./estimator.ts'),
  });
  const words = password && estimator?.strengthOf(password, about);
  return (
    <Text size="sm" role="status">
      {words ? `Strength: ${words.toLowerCase()}.` : ''}
    </Text>
  );
}
