import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { inBackground } from '../background.ts';
import { mayChange } from '../session/projects.ts';
import { sessionQuery } from '../session/session.ts';
import { useWhenAsked, useWhenIdle } from '../shell/later.ts';
import { type Command, commandOf, creationOn } from './keys.ts';
import { singleKeys } from './single-keys.ts';

const Palette = lazyRouteComponent(() => import('./palette.tsx'), 'Palette');
const Help = lazyRouteComponent(() => import('./help.tsx'), 'Help');

export type CommandDialog = 'palette' | 'help';

interface CommandsProps {
  /** What is open. */
  dialog: CommandDialog | undefined;
  show: (dialog: CommandDialog | undefined) => void;
}

/** The shortcuts of the keyboard, and the dialogs that they open, which are loaded when they are first needed. */
export function Commands({ dialog, show }: CommandsProps) {
  useShortcuts(show);
  const close = () => show(undefined);
  // Whoever presses the keys begins to type at once.
  useWhenIdle(Palette);
  const hasPalette = useWhenAsked(Palette, dialog === 'palette', close);
  const hasHelp = useWhenAsked(Help, dialog === 'help', close);
  return (
    <>
      {hasPalette && (
        <Palette isOpen={dialog === 'palette'} close={close} showHelp={() => show('help')} />
      )}
      {hasHelp && <Help isOpen={dialog === 'help'} close={close} />}
    </>
  );
}

function useShortcuts(show: (dialog: CommandDialog) => void): void {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const wentAt = useRef<number>(undefined);

  function run(command: Command): void {
    if (command === 'palette' || command === 'help') show(command);
    else if (command === 'search') {
      if (!focusSearch()) show('palette');
    } else if (command !== 'create') inBackground(navigate({ to: command.go }));
    else if (session?.project && mayChange(session.project))
      inBackground(navigate({ to: creationOn(window.location.pathname) }));
  }

  useWindowEvent('keydown', (event) => {
    if (isForOthers(event)) return;
    const { key, ctrlKey, metaKey, timeStamp: at } = event;
    const press = { key, at, isWithCtrl: ctrlKey || metaKey };
    const areSingleKeysOn = singleKeys.areOn() && !isIn(event, keysOfTheirOwn);
    const command = commandOf(press, { wentAt: wentAt.current, areSingleKeysOn });
    const isGoing = areSingleKeysOn && key === 'g' && !press.isWithCtrl && !command;
    wentAt.current = isGoing ? at : undefined;
    if (!command) return;
    event.preventDefault();
    run(command);
  });
}

/** Where single keys have another meaning, such as the letters in a field. */
const keysOfTheirOwn =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], [role="menu"], [role="listbox"]';

const isIn = ({ target }: KeyboardEvent, selector: string) =>
  target instanceof Element && target.closest(selector) !== null;

/** Whether the keys go to a terminal, which needs all of them, or a dialog is open. */
function isForOthers(event: KeyboardEvent) {
  const { altKey, isComposing, repeat, defaultPrevented } = event;
  if (altKey || isComposing || repeat || defaultPrevented || isIn(event, '.xterm')) return true;
  return document.querySelector('[aria-modal="true"]') !== null;
}

/** Whether the page has a list with a search. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[role="search"] input');
  field?.focus();
  return field !== null;
}
