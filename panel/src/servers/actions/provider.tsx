import { Button, Group, List, Modal, Text } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { inBackground } from '../../background.ts';
import { counted } from '../../format/units.ts';
import { act, type Target } from './act.ts';
import { type PowerAction, questionOf, words } from './actions.ts';

type Ask = (action: PowerAction, servers: readonly Target[]) => void;

const ActionsContext = createContext<Ask>(() => undefined);
const mostNamed = 10;

/** Carries out actions, and asks before those that interrupt a server. */
export function ActionsProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<{ action: PowerAction; servers: readonly Target[] }>();
  const [isOpen, setOpen] = useState(false);
  const ask = useCallback<Ask>((action, servers) => {
    if (!questionOf(action, servers)) return inBackground(act(action, servers));
    setAsked({ action, servers });
    setOpen(true);
  }, []);
  const close = () => setOpen(false);
  const confirm = () => {
    close();
    if (asked) inBackground(act(asked.action, asked.servers));
  };
  return (
    <ActionsContext value={ask}>
      {children}
      {asked && (
        <Modal opened={isOpen} onClose={close} title={titleOf(asked.action, asked.servers)}>
          <Names servers={asked.servers} />
          <Text size="sm">{questionOf(asked.action, asked.servers)}</Text>
          <Group justify="flex-end" mt="lg">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button onClick={confirm} data-autofocus>
              {words[asked.action].name}
            </Button>
          </Group>
        </Modal>
      )}
    </ActionsContext>
  );
}

const titleOf = (action: PowerAction, servers: readonly Target[]) =>
  `${words[action].name} ${servers.length === 1 ? servers[0]?.hostname : counted(servers.length, 'server')}?`;

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

export const useActions = (): Ask => useContext(ActionsContext);
