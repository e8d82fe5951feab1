import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Copyable } from '../servers/one/cards.tsx';

interface DialogProps {
  title: string;
  secret: string;
  /** What the secret is, such as `password`. */
  what: string;
  button: string;
  goOn: () => void;
  children: ReactNode;
}

/** Shows a secret that is kept nowhere else. */
export function SecretDialog({ title, secret, what, button, goOn, children }: DialogProps) {
  return (
    <Modal
      opened
      onClose={goOn}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Copyable text={secret} what={what} />
        <Text size="sm">Copy it now: it is not shown again. {children}</Text>
        <Group justify="flex-end">
          <Button onClick={goOn} data-autofocus>
            {button}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
