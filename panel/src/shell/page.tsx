import { Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTitle } from './title.ts';

interface PageProps {
  title: string;
  /** What can be done, beside the title. */
  action?: ReactNode;
  children: ReactNode;
}

/** A page with its title. */
export function Page({ title, action, children }: PageProps) {
  useTitle(title);
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </Stack>
  );
}
