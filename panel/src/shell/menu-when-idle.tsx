import type { AsyncRouteComponent } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type ReactElement, useState } from 'react';
import type { Session } from '../session/session.ts';
import { useWhenIdle } from './later.ts';

/** What the button of a menu passes on to its element. */
export type MenuButtonProps = Pick<
  ComponentPropsWithRef<'button'>,
  'aria-expanded' | 'aria-haspopup' | 'autoFocus' | 'onBlur' | 'onClick' | 'onFocus' | 'ref'
>;

export interface MenuProps {
  session: Session;
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
}

interface MenuWhenIdleProps {
  session: Session;
  button: (props: MenuButtonProps) => ReactElement;
  Menu: AsyncRouteComponent<MenuProps>;
}

/** A button, and its menu when the browser is idle or somebody wants it: no page waits for what menus need. */
export function MenuWhenIdle({ session, button, Menu }: MenuWhenIdleProps) {
  const isThere = useWhenIdle(Menu);
  const [isOpen, setOpen] = useState(false);
  // If the button was replaced then, it would lose the focus.
  const [isFocused, setFocused] = useState(false);
  const open = () => {
    setFocused(false);
    setOpen(true);
  };
  const plain = button({
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: open,
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  });
  if (!isThere || isFocused) return plain;
  return <Menu session={session} isOpen={isOpen} onChange={setOpen} />;
}
