import {
  Alert,
  Button,
  Container,
  Paper,
  PasswordInput,
  Stack,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { inWords } from '../api/words.ts';
import { useTitle } from '../shell/title.ts';
import { sessionQuery, signIn } from './session.ts';

export function SignInPage() {
  useTitle('Sign in');
  const router = useRouter();
  const queries = useQueryClient();
  const signingIn = useMutation({
    mutationFn: ({ email, password }: { email: string; password: string }) =>
      signIn(email, password),
    onSuccess: async () => {
      await queries.resetQueries({ queryKey: sessionQuery.queryKey });
      // The route leads on to where the person was.
      await router.invalidate();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signingIn.mutate({ email: String(form.get('email')), password: String(form.get('password')) });
  };
  return (
    <Container component="main" size={420} py={80}>
      <Title order={1} size="h2" ta="center" mb="lg">
        Sign in to Berth
      </Title>
      <Paper withBorder p="lg">
        <form onSubmit={submit}>
          <Stack>
            {signingIn.isError && (
              <Alert color="red" variant="outline" role="alert">
                {inWords(signingIn.error)}
              </Alert>
            )}
            <TextInput
              label="Email address"
              name="email"
              type="email"
              autoComplete="username"
              required
              withAsterisk={false}
              data-autofocus
            />
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            />
            <Button type="submit" loading={signingIn.isPending} fullWidth>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  );
}
