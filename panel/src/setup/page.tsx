import { Anchor, Container, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTitle } from '../shell/title.ts';
import { SetupForm } from './form.tsx';
import { setupQuery } from './setup.ts';

/** Makes the first administrator, with the code that the start of the service has shown. */
export function SetupPage() {
  useTitle('Set up');
  const { data: isOpen } = useQuery(setupQuery);
  return (
    <Container component="main" size={480} py={64}>
      <Title order={1} size="h2" ta="center" mb="lg">
        Set up Berth
      </Title>
      <Paper withBorder p="lg">
        {isOpen ? <SetupForm /> : <Closed />}
      </Paper>
    </Container>
  );
}

function Closed() {
  return (
    <Text>
      The first administrator cannot be made here: there has been a user, or the setup code has
      expired. <Anchor renderRoot={(props) => <Link to="/sign-in" {...props} />}>Sign in</Anchor>.
      If there is no user yet, restart the service, which makes another code.
    </Text>
  );
}
