import { Button } from '@mantine/core';
import IconPlus from '@tabler/icons-react/icons/IconPlus';
import { Link } from '@tanstack/react-router';
import { useMayChange } from '../session/may-change.ts';

interface NewLinkProps {
  to: '/members/new' | '/servers/new' | '/ssh-keys/new' | '/tokens/new' | '/webhooks/new';
  children: string;
}

/** Leads to the form of something new, for those who may add it. */
export function NewLink({ to, children }: NewLinkProps) {
  if (!useMayChange()) return null;
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to={to} {...props} />}
    >
      {children}
    </Button>
  );
}
