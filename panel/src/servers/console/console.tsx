import { Button, Group, Switch, Text } from '@mantine/core';
import { useDisclosure, useFullscreenElement, useLocalStorage } from '@mantine/hooks';
import IconClipboard from '@tabler/icons-react/icons/IconClipboard';
import IconExternalLink from '@tabler/icons-react/icons/IconExternalLink';
import IconMaximize from '@tabler/icons-react/icons/IconMaximize';
import IconPlugConnected from '@tabler/icons-react/icons/IconPlugConnected';
import IconSearch from '@tabler/icons-react/icons/IconSearch';
import { useEffect, useId, useRef } from 'react';
import { inBackground } from '../../background.ts';
import type { Server } from '../../live/apply.ts';
import classes from './console.module.css';
import { PasteDialog, usePaste } from './paste.tsx';
import { SearchBar } from './search.tsx';
import { isOver, stateInWords } from './states.ts';
import { useConsole } from './use-console.ts';

interface ConsoleProps {
  server: Server;
  /** Whether the server is running, and not about to stop. */
  isReady: boolean;
}

/** The terminal, with its state above it. */
export default function ServerConsole({ server, isReady }: ConsoleProps) {
  const { ref: whole, toggle: toggleFullScreen, fullscreen } = useFullscreenElement();
  const [isSearching, { open: startSearch, close: endSearch }] = useDisclosure(false);
  const help = useId();
  const firstButton = useRef<HTMLButtonElement>(null);
  const paste = usePaste((text) => terminal.current?.paste(text));
  const { element, terminal, state, reconnect } = useConsole(server.id, isReady, {
    onPaste: paste.take,
    onSearch: startSearch,
    onLeave: () => firstButton.current?.focus(),
  });
  const [isForReaders, setForReaders] = useLocalStorage({
    key: 'berth-screen-reader',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  useEffect(() => terminal.current?.setScreenReader(isForReaders), [isForReaders, terminal]);
  const goBack = () => terminal.current?.focus();

  return (
    <section ref={whole} className={classes.console} aria-label="Console">
      <Group gap="xs">
        <Text size="sm" role="status" flex="1 1 12rem">
          {stateInWords(state)}
        </Text>
        {isOver(state) && (
          <Button size="xs" leftSection={<IconPlugConnected size={16} />} onClick={reconnect}>
            Reconnect
          </Button>
        )}
        <Button
          ref={firstButton}
          leftSection={<IconClipboard size={16} aria-hidden />}
          onClick={() => inBackground(paste.begin())}
          {...small}
        >
          Paste
        </Button>
        <Button leftSection={<IconSearch size={16} aria-hidden />} onClick={startSearch} {...small}>
          Search
        </Button>
        <Button
          leftSection={<IconMaximize size={16} aria-hidden />}
          onClick={() => inBackground(toggleFullScreen().then(goBack))}
          {...small}
        >
          {fullscreen ? 'Leave full screen' : 'Full screen'}
        </Button>
        <Button
          component="a"
          href={`/servers/${server.id}/console`}
          target="_blank"
          rel="noopener"
          leftSection={<IconExternalLink size={16} aria-hidden />}
          {...small}
        >
          Open in a new window
        </Button>
        <Switch
          size="xs"
          label="For screen readers"
          checked={isForReaders}
          onChange={({ currentTarget }) => setForReaders(currentTarget.checked)}
        />
      </Group>
      {isSearching && (
        <SearchBar
          search={(text, isBackwards) => terminal.current?.search(text, isBackwards) ?? false}
          close={() => {
            endSearch();
            goBack();
          }}
        />
      )}
      <section
        className={classes.terminal}
        aria-label={`Terminal of ${server.hostname}`}
        aria-describedby={help}
      >
        <div ref={element} className={classes.screen} />
      </section>
      <Text id={help} size="xs" c="dimmed">
        All keys go to the server. Ctrl-Shift-L leaves the terminal, Ctrl-Shift-F searches in its
        output, and Ctrl-Shift-C and Ctrl-Shift-V copy and paste.
      </Text>
      <PasteDialog {...paste} goBack={goBack} />
    </section>
  );
}

const small = { variant: 'default', size: 'xs' } as const;
