import { Button, Group, List, Modal, Text } from '@mantine/core';
import { useRef } from 'react';
import { inBackground } from '../../background.ts';
import { counted } from '../../format/units.ts';
import { useOpened } from '../../shell/later.ts';
import { act, type Target } from './act.ts';
import { type PowerAction, questionOf, words } from './actions.ts';

const mostNamed = 10;

export interface Asked {
  action: PowerAction;
  servers: readonly Target[];
  /** The buttons beside the one that was pressed. They get the focus if it has disappeared meanwhile. */
  group: HTMLElement | null | undefined;
}

interface QuestionProps {
  asked: Asked;
  isOpen: boolean;
  close: () => void;
}

/** Asks before an action that interrupts servers, and then carries it out. */
export function Question({ asked: { action, servers, group }, isOpen, close }: QuestionProps) {
  const { name } = words[action];
  const confirm = () => {
    close();
    inBackground(act(action, servers));
  };
  const opened = useOpened(isOpen);
  const dialog = useRef<HTMLDivElement>(null);
  const returnFocus = () => {
    const at = document.activeElement;
    if (at === document.body || dialog.current?.contains(at)) group?.focus();
  };
  return (
    <Modal
      ref={dialog}
      opened={opened}
      onClose={close}
      onExitTransitionEnd={returnFocus}
      title={`${name} ${inFew(servers)}?`}
    >
      <Names servers={servers} />
      <Text size="sm">{questionOf(action, servers)}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button onClick={confirm} data-autofocus>
          {name}
        </Button>
      </Group>
    </Modal>
  );
}

const inFew = (servers: readonly Target[]) =>
  servers.length === 1 ? servers[0]?.hostname : counted(servers.length, 'server');

function Names({ servers }: { servers: readonly Target[] }) {
  if (servers.length === 1) return null;
  const more = servers.length - mostNamed;
  return (
    <List size="sm" mb="sm">
      {servers.slice(0, mostNamed).map(({ id, hostname }) => (
        <List.Item key={id}>{hostname}</List.Item>
      ))}
      {more > 0 && <List.Item>and {counted(more, 'other server')}</List.Item>}
    </List>
  );
}
