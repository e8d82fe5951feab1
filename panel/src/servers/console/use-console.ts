import { type OpenConsole, openConsole } from '@berth/client';
import { useComputedColorScheme } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { berth } from '../../api/berth.ts';
import { inBackground } from '../../background.ts';
import { isOver, type State, steadyMs, waitBeforeTry } from './states.ts';
import { createTerminal, type Listeners, type PanelTerminal } from './terminal.ts';

const resizingMs = 100;

type PageListeners = Omit<Listeners, 'onInput' | 'onResize'>;

/**
 * A terminal in an element, and the console of a server in it, which opens again when the server has started.
 *
 * @param isReady whether the server is running, and not about to stop
 */
export function useConsole(serverId: number, isReady: boolean, listeners: PageListeners) {
  const element = useRef<HTMLDivElement>(null);
  const terminal = useRef<PanelTerminal>(null);
  const opened = useRef<OpenConsole>(null);
  const [state, setState] = useState<State>({ name: 'connecting' });
  const latest = useRef(listeners);
  latest.current = listeners;
  const fit = useDebouncedCallback(() => terminal.current?.fit(), resizingMs);

  useEffect(() => {
    if (!element.current) return;
    const made = createTerminal(element.current, {
      onInput: (data) => opened.current?.write(data),
      onResize: (size) => opened.current?.resize(size),
      onPaste: (text) => latest.current.onPaste(text),
      onSearch: () => latest.current.onSearch(),
      onLeave: () => latest.current.onLeave(),
    });
    terminal.current = made;
    const console = open(serverId, made, setState);
    opened.current = console;
    made.focus();
    const resizes = new ResizeObserver(fit);
    resizes.observe(element.current);
    return () => {
      resizes.disconnect();
      opened.current?.close();
      made.dispose();
    };
  }, [serverId, fit]);

  const reconnect = () => {
    if (!terminal.current || !isOver(state)) return;
    opened.current = open(serverId, terminal.current, setState);
    terminal.current.focus();
  };
  const tryAgain = useEffectEvent(reconnect);
  const tries = useRef(0);
  useEffect(() => {
    if (!isReady) tries.current = 0;
    const waitMs = isReady ? waitBeforeTry(state, tries.current) : undefined;
    if (waitMs === undefined) return;
    const timer = setTimeout(() => {
      tries.current += 1;
      tryAgain();
    }, waitMs);
    return () => clearTimeout(timer);
  }, [isReady, state]);
  useEffect(() => {
    if (state.name !== 'connected') return;
    const timer = setTimeout(() => {
      tries.current = 0;
    }, steadyMs);
    return () => clearTimeout(timer);
  }, [state]);

  const scheme = useComputedColorScheme();
  useEffect(() => terminal.current?.setColors(scheme), [scheme]);
  return { element, terminal, state, reconnect };
}

/** Shows the console of a server in a terminal, and what has become of it. */
function open(serverId: number, terminal: PanelTerminal, setState: (state: State) => void) {
  const console = openConsole(berth, serverId, {
    size: terminal.size(),
    onOutput: terminal.show,
    onState(name) {
      // The last output is sent again.
      if (name === 'connected') terminal.reset();
      setState({ name });
    },
  });
  const ending = console.ended.then(
    (end) => end && setState({ name: 'ended', end }),
    (error: unknown) => setState({ name: 'refused', error }),
  );
  inBackground(ending);
  return console;
}
