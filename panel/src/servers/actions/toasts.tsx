import { Anchor, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link } from '@tanstack/react-router';
import { inWords } from '../../api/words.ts';
import { words } from './actions.ts';
import { createExpectations, type Outcome } from './expected.ts';

const longMs = 12_000;

/** Says that a request failed, and why. */
export function sayFailed(title: string, error: unknown): void {
  notifications.show({ color: 'red', title, message: inWords(error), autoClose: longMs });
}

export function say(title: string, details: readonly string[]): void {
  const message = details.map((detail) => <Text key={detail}>{detail}</Text>);
  notifications.show({ title, message, autoClose: longMs });
}

const begunId = (operationId: number) => `operation-${operationId}`;

/** Says what a request has begun, until the end of the operation is told. */
export function sayBegun(hostname: string, message: string, operationId: number): void {
  const id = begunId(operationId);
  notifications.show({ id, title: hostname, message, autoClose: longMs });
}

function sayOutcome(outcome: Outcome, operationId: number): void {
  const { action, hostname, serverId, status, message } = outcome;
  notifications.hide(begunId(operationId));
  const isDone = status === 'succeeded';
  const isGone = action === 'delete' && isDone;
  const { name, done } = words[action];
  notifications.show({
    color: isDone ? 'teal' : 'red',
    title: isDone ? `${hostname} ${done}` : `${hostname}: ${name.toLowerCase()} has ${status}`,
    autoClose: isDone ? 5000 : longMs,
    message: (
      <>
        {!isDone && <Text>{message}</Text>}
        {!isGone && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/servers/$id" params={{ id: String(serverId) }} {...props} />
            )}
          >
            Go to {hostname}
          </Anchor>
        )}
      </>
    ),
  });
}

export const expectations = createExpectations(sayOutcome);
