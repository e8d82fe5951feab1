import { Anchor, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inWords } from '../../api/words.ts';
import { inBackground } from '../../background.ts';
import { words } from './actions.ts';
import { createExpectations, type Outcome } from './expected.ts';

const longMs = 12_000;

/** Says that a request failed, and why. */
export function sayFailed(title: string, error: unknown): void {
  notifications.show({ color: 'red', title, message: inWords(error), autoClose: longMs });
}

export function say(title: string, details: readonly string[]): void {
  const message = details.map((detail) => <Detail key={detail}>{detail}</Detail>);
  notifications.show({ title, message, autoClose: longMs });
}

/** Says what was changed, with a button that changes it back. */
export function sayChanged(title: string, detail: string, undo: () => Promise<unknown>): void {
  const takeBack = async () => {
    notifications.hide(id);
    try {
      await undo();
      say(title, ['It is as it was before.']);
    } catch (error) {
      sayFailed(`${title} stays changed`, error);
    }
  };
  const id = notifications.show({
    ...{ title, autoClose: longMs },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Detail>{detail}</Detail>
        <Button variant="default" size="compact-sm" onClick={() => inBackground(takeBack())}>
          Undo
        </Button>
      </Group>
    ),
  });
}

const Detail = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="var(--mantine-color-text)">
    {children}
  </Text>
);

const OperationLink = ({ id }: { id: number }) => (
  <Anchor
    size="sm"
    renderRoot={(props) => <Link to="/operations/$id" params={{ id: String(id) }} {...props} />}
  >
    Show the operation
  </Anchor>
);

/** Says what a request has begun on several servers, and what it has not. */
export function sayManyBegun(title: string, refusals: readonly string[]): void {
  notifications.show({
    ...{ title, autoClose: longMs },
    message: (
      <>
        {refusals.map((refusal) => (
          <Detail key={refusal}>{refusal}</Detail>
        ))}
        <Anchor size="sm" renderRoot={(props) => <Link to="/operations" {...props} />}>
          Show the operations
        </Anchor>
      </>
    ),
  });
}

const begunId = (operationId: number) => `operation-${operationId}`;

/** Says what a request has begun, until the end of the operation is told. */
export function sayBegun(hostname: string, message: string, operationId: number): void {
  const id = begunId(operationId);
  notifications.show({
    ...{ id, title: hostname, autoClose: longMs },
    message: (
      <>
        <Detail>{message}</Detail>
        <OperationLink id={operationId} />
      </>
    ),
  });
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
        {!isDone && <Detail>{message}</Detail>}
        <Group gap="md">
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
          <OperationLink id={operationId} />
        </Group>
      </>
    ),
  });
}

export const expectations = createExpectations(sayOutcome);
