import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** What is known about something, each with its name. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

interface FactProps {
  name: ReactNode;
  children: ReactNode;
}

export function Fact({ name, children }: FactProps) {
  return (
    <>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Stack component="dd" gap={4} m={0} fz="sm" className="breaks">
        {children}
      </Stack>
    </>
  );
}
