import type { AsyncRouteComponent } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type ReactElement, useEffect, useState } from 'react';
import type { Session } from '../session/session.ts';
import { useWhenIdle } from './later.ts';

/** What the button of a menu passes on to its element. */
export type MenuButtonProps = Pick<
  ComponentPropsWithRef<'button'>,
  'aria-expanded' | 'aria-haspopup' | 'autoFocus' | 'onBlur' | 'onClick' | 'onFocus' | 'ref'
>;

export interface MenuProps {
  session: Session;
  /** Whether somebody wanted it before it was there. */
  isWanted: boolean;
}

/** Opens a menu that somebody wanted, once its button has the focus, which gets it back when the menu is closed. */
export function useMenu(isWanted: boolean) {
  const [opened, onChange] = useState(false);
  useEffect(() => {
    if (isWanted) onChange(true);
  }, [isWanted]);
  return { opened, onChange };
}

interface MenuWhenIdleProps {
  session: Session;
  button: (props: MenuButtonProps) => ReactElement;
  Menu: AsyncRouteComponent<MenuProps>;
}

/** A button, and its menu when the browser is idle or somebody wants it: no page waits for what menus need. */
export function MenuWhenIdle({ session, button, Menu }: MenuWhenIdleProps) {
  const isThere = useWhenIdle(Menu);
  const [isWanted, want] = useState(false);
  // If the button was replaced then, it would lose the focus.
  const [isFocused, setFocused] = useState(false);
  const plain = button({
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => want(true),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  });
  if (!isThere || (isFocused && !isWanted)) return plain;
  return <Menu session={session} isWanted={isWanted} />;
}
