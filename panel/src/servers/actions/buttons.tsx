import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Server } from '../../live/apply.ts';
import { useMayChange } from '../../session/may-change.ts';
import { type PowerAction, powerActions, words } from './actions.ts';
import classes from './buttons.module.css';
import { KeepsFocus } from './keeps-focus.tsx';
import { icons } from './power-icons.ts';
import { useActions } from './provider.tsx';

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
    <KeepsFocus label="Actions" className={classes.buttons}>
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
