import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../shell/messages.tsx';

export function NoWebhook() {
  return (
    <Empty title="There is no such webhook" isWhole>
      <Text>It was deleted, or belongs to another project.</Text>
      <Anchor renderRoot={(props) => <Link to="/webhooks" {...props} />}>Show all webhooks</Anchor>
    </Empty>
  );
}
