import { Group, Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useOpened } from '../shell/later.ts';
import { shortcuts } from './keys.ts';
import { singleKeys } from './single-keys.ts';

interface HelpProps {
  isOpen: boolean;
  close: () => void;
}

/** The list of the shortcuts. */
export function Help({ isOpen, close }: HelpProps) {
  const opened = useOpened(isOpen);
  const [areOn, setOn] = useState(singleKeys.areOn);
  const change = (wanted: boolean) => {
    singleKeys.set(wanted);
    setOn(wanted);
  };
  return (
    <Modal opened={opened} onClose={close} title="Keyboard shortcuts">
      <Stack>
        <Table aria-label="Keyboard shortcuts" withRowBorders={false}>
          <Table.Tbody>
            {shortcuts.map(({ keys, name, ...more }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400}>
                  {name}
                </Table.Th>
                <Table.Td>
                  <Group gap={6} justify="flex-end" wrap="nowrap">
                    {keys.map((key, index) => (
                      <Group key={key} gap={6} wrap="nowrap">
                        {index > 0 && (
                          <Text size="xs" c="dimmed">
                            {'isAtOnce' in more ? '+' : 'then'}
                          </Text>
                        )}
                        <Kbd>{key}</Kbd>
                      </Group>
                    ))}
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text size="sm" c="dimmed">
          On a Mac, ⌘ takes the place of Ctrl. While you type in a field, keys only write.
        </Text>
        <Switch
          label="Shortcuts of single keys"
          description="Turn them off if you speak to the computer, or press keys by mistake"
          checked={areOn}
          onChange={({ currentTarget }) => change(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
