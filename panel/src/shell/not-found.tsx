import { Anchor, Container, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from './messages.tsx';

export function NotFound() {
  return (
    <Container component="main" py="xl">
      <Empty title="There is no such page" isWhole>
        <Text>
          <Anchor renderRoot={(props) => <Link to="/servers" {...props} />}>
            Go to the servers
          </Anchor>
        </Text>
      </Empty>
    </Container>
  );
}
