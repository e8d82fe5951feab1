import { Alert, Button, Center, Loader, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { inWords } from '../api/words.ts';

/** In the place of what is being read. */
export function Loading() {
  return (
    <Center py="xl">
      <Loader role="status" aria-label="Loading" />
    </Center>
  );
}

interface FailureProps {
  title: string;
  error: unknown;
  retry?: () => void;
}

/** In the place of what could not be read. */
export function Failure({ title, error, retry }: FailureProps) {
  return (
    <Alert color="red" variant="outline" title={title} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{inWords(error)}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

interface EmptyProps {
  title: string;
  /** Whether it is all that the page has. */
  isWhole?: boolean;
  children: ReactNode;
}

/** Where there is nothing, and what to do about it. */
export function Empty({ title, isWhole = false, children }: EmptyProps) {
  return (
    <Stack align="center" py="xl" gap="sm" ta="center">
      <Title order={isWhole ? 1 : 2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
