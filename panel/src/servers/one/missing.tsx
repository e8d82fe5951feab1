import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../shell/messages.tsx';

/** In the place of a server that does not exist. */
export function NoSuchServer() {
  return (
    <Empty title="There is no such server" isWhole>
      <Text>It was deleted, or belongs to another project.</Text>
      <Anchor renderRoot={(props) => <Link to="/servers" {...props} />}>Show all servers</Anchor>
    </Empty>
  );
}
