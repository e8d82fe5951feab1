import '@xterm/xterm/css/xterm.css';
import type { ConsoleSize } from '@berth/client';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { type ITheme, Terminal } from '@xterm/xterm';
import { inBackground } from '../../background.ts';
import { theme } from '../../theme.ts';
import { boundedOutput } from './output.ts';

/** The most lines that are kept above those that are shown. */
const scrollback = 10_000;

/** What the terminal tells the page. */
export interface Listeners {
  onInput(data: string | Uint8Array<ArrayBuffer>): void;
  onResize(size: ConsoleSize): void;
  /** Somebody pastes with the keyboard or the menu of the browser. */
  onPaste(text: string): void;
  onSearch(): void;
  /** Somebody leaves the terminal with the keyboard. */
  onLeave(): void;
}

const themes: Record<'light' | 'dark', ITheme> = {
  light: {
    ...{ background: '#ffffff', foreground: '#1f2328', cursor: '#1f2328' },
    ...{ cursorAccent: '#ffffff', selectionBackground: '#b3d7ff' },
  },
  dark: {
    ...{ background: '#141414', foreground: '#e6e6e6', cursor: '#e6e6e6' },
    ...{ cursorAccent: '#141414', selectionBackground: '#264f78' },
  },
};

/** A terminal in an element, whose size it has. */
export function createTerminal(element: HTMLElement, listeners: Listeners) {
  const terminal = new Terminal({
    ...{ scrollback, fontFamily: theme.fontFamilyMonospace ?? 'monospace', fontSize: 14 },
    // Programs choose colours for one background only (WCAG 2.2, 1.4.3).
    minimumContrastRatio: 4.5,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
  });
  const [fitting, searching] = [new FitAddon(), new SearchAddon()];
  terminal.loadAddon(fitting);
  terminal.loadAddon(searching);
  terminal.open(element);
  fitting.fit();
  const output = boundedOutput((data, done) => terminal.write(data, done));

  terminal.onData(listeners.onInput);
  terminal.onBinary((data) => listeners.onInput(Uint8Array.from(data, (one) => one.charCodeAt(0))));
  terminal.onResize(({ cols, rows }) => listeners.onResize({ columns: cols, rows }));
  const copy = () => {
    const { clipboard } = navigator;
    // Pages that were loaded over HTTP have none. There, the menu of the browser copies.
    if (clipboard && terminal.hasSelection()) {
      inBackground(clipboard.writeText(terminal.getSelection()));
    }
  };
  const { onSearch, onLeave } = listeners;
  /** With Ctrl and Shift, which reaches no program on a terminal. */
  const shortcuts: Record<string, () => void> = { KeyF: onSearch, KeyL: onLeave, KeyC: copy };
  terminal.attachCustomKeyEventHandler((event) => {
    const act = event.ctrlKey && event.shiftKey ? shortcuts[event.code] : undefined;
    if (!act) return true;
    event.preventDefault();
    if (event.type === 'keydown') act();
    return false;
  });
  const pasted = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopPropagation();
    listeners.onPaste(event.clipboardData?.getData('text/plain') ?? '');
  };
  // Before xterm.js does, which would send it at once.
  element.addEventListener('paste', pasted, { capture: true });

  return {
    show: output.add,
    /** Forgets all output. */
    reset() {
      output.clear();
      terminal.reset();
    },
    size: (): ConsoleSize => ({ columns: terminal.cols, rows: terminal.rows }),
    fit: () => fitting.fit(),
    focus: () => terminal.focus(),
    /** As a keyboard would type it, or marked as a paste if the program of the guest asks for this. */
    paste: (text: string) => terminal.paste(text),
    /** Selects the next match from the selection on. Returns whether there is one. */
    search: (text: string, isBackwards: boolean) =>
      isBackwards ? searching.findPrevious(text) : searching.findNext(text),
    setColors(scheme: 'light' | 'dark') {
      terminal.options.theme = themes[scheme];
    },
    setScreenReader(isOn: boolean) {
      terminal.options.screenReaderMode = isOn;
    },
    dispose() {
      element.removeEventListener('paste', pasted, { capture: true });
      terminal.dispose();
    },
  };
}

export type PanelTerminal = ReturnType<typeof createTerminal>;
