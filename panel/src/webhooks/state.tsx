import { Badge } from '@mantine/core';
import { stateOf, type Webhook } from './webhooks.ts';

/** The state of a webhook as a word. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { word, color } = stateOf(webhook);
  return (
    <Badge variant="dot" color={color} tt="none" radius="sm">
      {word}
    </Badge>
  );
}
