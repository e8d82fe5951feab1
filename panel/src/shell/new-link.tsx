import { Button } from '@mantine/core';
import IconPlus from '@tabler/icons-react/icons/IconPlus';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { mayChange } from '../session/projects.ts';
import { sessionQuery } from '../session/session.ts';

interface NewLinkProps {
  to: '/members/new' | '/servers/new' | '/ssh-keys/new' | '/tokens/new';
  children: string;
}

/** Leads to the form of something new, for those who may add it. */
export function NewLink({ to, children }: NewLinkProps) {
  const { data: session } = useQuery(sessionQuery);
  if (!session?.project || !mayChange(session.project)) return null;
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to={to} {...props} />}
    >
      {children}
    </Button>
  );
}
