import { Anchor, Button } from '@mantine/core';
import IconPlus from '@tabler/icons-react/icons/IconPlus';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface AddProps {
  to: LinkProps['to'];
  children: string;
}

/** Leads to the form of something new. */
export function AddLink({ to, children }: AddProps) {
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to={to} {...props} />}
    >
      {children}
    </Button>
  );
}

interface OneProps {
  to: LinkProps['to'];
  id: number;
  children: ReactNode;
}

/** Leads to one object of a list. */
export function OneLink({ to, id, children }: OneProps) {
  return (
    <Anchor inherit renderRoot={(props) => <Link to={to} params={{ id: String(id) }} {...props} />}>
      {children}
    </Anchor>
  );
}
