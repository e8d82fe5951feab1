import { Anchor, Container, Text } from '@mantine/core';
import { Link, rootRouteId, useMatch } from '@tanstack/react-router';
import { Empty } from './messages.tsx';
import { useTitle } from './title.ts';

const title = 'There is no such page';

export function NotFound() {
  useTitle(title);
  // Within the frame of the pages, there is a main element already.
  const isWhole = useMatch({ strict: false, select: ({ routeId }) => routeId === rootRouteId });
  return (
    <Container component={isWhole ? 'main' : 'div'} py="xl">
      <Empty title={title} isWhole>
        <Text>
          <Anchor renderRoot={(props) => <Link to="/servers" {...props} />}>
            Go to the servers
          </Anchor>
        </Text>
      </Empty>
    </Container>
  );
}
