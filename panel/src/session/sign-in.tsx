import {
  Alert,
  Anchor,
  Button,
  Center,
  Container,
  Divider,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { inWords } from '../api/words.ts';
import icon from '../icon.svg';
import { useTitle } from '../shell/title.ts';
import { MethodButtons, type OtherMethod } from './method-buttons.tsx';
import { goToProvider, useOtherMethods } from './methods.ts';
import { openidFailure } from './openid-failures.ts';
import { signInByPasskey } from './passkeys.ts';
import { returnTo } from './return-to.ts';
import { sessionQuery, signIn } from './session.ts';

const route = getRouteApi('/sign-in');

const labels = {
  passkey: 'Sign in with a passkey',
  provider: (name: string) => `Sign in with ${name}`,
};

interface Attempt {
  by: 'password' | OtherMethod;
  act: () => Promise<void>;
}

export function SignInPage() {
  useTitle('Sign in');
  const { from, failed } = route.useSearch();
  const router = useRouter();
  const queries = useQueryClient();
  const methods = useOtherMethods();
  const signingIn = useMutation({
    mutationFn: ({ act }: Attempt) => act(),
    onSuccess: async (_, { by }) => {
      // The browser is on its way to the provider.
      if (by === 'provider') return;
      await queries.resetQueries({ queryKey: sessionQuery.queryKey });
      // The route leads on to where the person was.
      await router.invalidate();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [email, password] = [String(form.get('email')), String(form.get('password'))];
    signingIn.mutate({ by: 'password', act: () => signIn(email, password) });
  };
  const choose = (by: OtherMethod) =>
    signingIn.mutate({
      by,
      act: by === 'passkey' ? signInByPasskey : () => goToProvider(returnTo(from)),
    });
  const pending = signingIn.isPending ? signingIn.variables.by : undefined;
  const problem = signingIn.isError
    ? inWords(signingIn.error)
    : signingIn.isIdle && failed && openidFailure(failed, methods.provider);
  return (
    <Container component="main" size={420} py={{ base: 32, xs: 80 }}>
      <Center mb="sm">
        <img src={icon} alt="" width={40} height={40} />
      </Center>
      <Title order={1} size="h2" ta="center" mb="lg">
        Sign in to Berth
      </Title>
      <Paper withBorder p="lg">
        <Stack>
          {problem && (
            <Alert color="red" variant="outline" role="alert">
              {problem}
            </Alert>
          )}
          <form onSubmit={submit}>
            <Stack>
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
              <Button type="submit" loading={pending === 'password'} fullWidth>
                Sign in
              </Button>
            </Stack>
          </form>
          {(methods.hasPasskeys || methods.provider) && <Divider label="or" />}
          <MethodButtons {...{ methods, labels, pending, choose }} />
        </Stack>
      </Paper>
      {methods.elsewhere && <Elsewhere origin={methods.elsewhere} page={returnTo(from)} />}
    </Container>
  );
}

/** Passkeys and the provider know the installation by another address than that of this page, which has `page` as well. */
function Elsewhere({ origin, page }: { origin: string; page: string }) {
  return (
    <Text size="sm" c="dimmed" ta="center" mt="md" className="breaks">
      At this address, you can only sign in with a password. There are other ways at{' '}
      <Anchor href={`${origin}${page}`} underline="always">
        {origin}
      </Anchor>
      .
    </Text>
  );
}
