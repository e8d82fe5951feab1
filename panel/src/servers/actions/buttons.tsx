import { ActionIcon, Button, Tooltip } from '@mantine/core';
import IconPlayerPause from '@tabler/icons-react/icons/IconPlayerPause';
import IconPlayerPlay from '@tabler/icons-react/icons/IconPlayerPlay';
import IconPlayerTrackNext from '@tabler/icons-react/icons/IconPlayerTrackNext';
import IconPower from '@tabler/icons-react/icons/IconPower';
import IconRefresh from '@tabler/icons-react/icons/IconRefresh';
import IconRepeat from '@tabler/icons-react/icons/IconRepeat';
import type { ReactNode } from 'react';
import type { Server } from '../../live/apply.ts';
import { useMayChange } from '../../session/may-change.ts';
import { allowedFor, type PowerAction, powerActions, words } from './actions.ts';
import { KeepsFocus } from './keeps-focus.tsx';
import { useActions } from './provider.tsx';

const icons = {
  ...{ start: IconPlayerPlay, stop: IconPower, restart: IconRefresh },
  ...{ pause: IconPlayerPause, unpause: IconPlayerTrackNext, retry: IconRepeat },
};

/** The actions that a server allows now, as small buttons. */
export function ActionIcons({ server }: { server: Server }) {
  const ask = useActions();
  if (!useMayChange()) return null;
  return (
    <KeepsFocus label={`Actions of ${server.hostname}`} gap={4} wrap="nowrap" justify="flex-end">
      {allowedFor(server).map((action) => {
        const [Icon, { name }] = [icons[action], words[action]];
        return (
          <Tooltip key={action} label={name} openDelay={500}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`${name} ${server.hostname}`}
              onClick={() => ask(action, [server])}
            >
              <Icon size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        );
      })}
    </KeepsFocus>
  );
}

interface ButtonsProps {
  servers: readonly Server[];
  /** What else can be done, before the actions. */
  children?: ReactNode;
}

/** The actions that at least one of the servers allows, with the number of those that do. */
export function ActionButtons({ servers, children }: ButtonsProps) {
  const ask = useActions();
  if (!useMayChange()) return null;
  const allowing = (action: PowerAction) =>
    servers.filter((server) => server.allowed_actions.includes(action));
  const offered = powerActions
    .map((action) => ({ action, able: allowing(action) }))
    .filter(({ able }) => able.length > 0);
  return (
    <KeepsFocus label="Actions" gap="xs">
      {children}
      {offered.map(({ action, able }) => {
        const Icon = icons[action];
        return (
          <Button
            key={action}
            variant="default"
            size="xs"
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => ask(action, able)}
          >
            {words[action].name}
            {able.length < servers.length && ` (${able.length})`}
          </Button>
        );
      })}
    </KeepsFocus>
  );
}
