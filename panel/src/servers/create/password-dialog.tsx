import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Copyable } from '../one/cards.tsx';

interface DialogProps {
  hostname: string;
  password: string;
  goOn: () => void;
}

/** Shows a password that is kept nowhere else. */
export function PasswordDialog({ hostname, password, goOn }: DialogProps) {
  return (
    <Modal
      opened
      onClose={goOn}
      title={`The password of root on ${hostname}`}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Copyable text={password} what="password" />
        <Text size="sm">Copy it now: it is not shown again. The server is being created.</Text>
        <Group justify="flex-end">
          <Button onClick={goOn} data-autofocus>
            Go to the server
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
