import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../session/session.ts';
import { Page } from '../shell/page.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordForm } from './password.tsx';
import { Sessions } from './sessions.tsx';

/** Who is signed in, their password, their passkeys, and the browsers in which they are signed in. */
export function AccountPage() {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  const { name, email, is_admin, has_password } = session.user;
  return (
    <Page title="Account">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm">{email}</Text>
        {is_admin && <Text size="sm">You are an administrator.</Text>}
        <Text size="sm" c="dimmed">
          {is_admin ? 'Another administrator' : 'An administrator'} can change the name and the
          email address.
        </Text>
      </div>
      <Stack component="section" gap="sm" aria-labelledby="password">
        <Title order={2} size="h4" id="password">
          Password
        </Title>
        {has_password ? (
          <PasswordForm />
        ) : (
          <Text size="sm">You have none. You sign in at your provider, or with a passkey.</Text>
        )}
      </Stack>
      <Passkeys />
      <Sessions />
    </Page>
  );
}
