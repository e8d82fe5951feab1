import { Modal } from '@mantine/core';
import { useState } from 'react';
import { useOpened } from '../shell/later.ts';
import { Chooser } from './chooser.tsx';
import { type Entry, useEntries } from './use-entries.ts';

interface PaletteProps {
  isOpen: boolean;
  close: () => void;
  showHelp: () => void;
}

/** Finds pages, servers and actions by what somebody types. */
export function Palette({ isOpen, close, showHelp }: PaletteProps) {
  const opened = useOpened(isOpen);
  const [isChosen, setChosen] = useState(false);
  const choose = ({ run }: Entry) => {
    setChosen(true);
    close();
    // The focus is not returned: the page changes, or another dialog opens.
    document.getElementById('content')?.focus();
    run();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Find a page, a server or an action"
      centered={false}
      returnFocus={!isChosen}
      onExitTransitionEnd={() => setChosen(false)}
    >
      <Content choose={choose} showHelp={showHelp} />
    </Modal>
  );
}

interface ContentProps {
  choose: (entry: Entry) => void;
  showHelp: () => void;
}

/** What is typed is forgotten when the dialog is closed. */
function Content({ choose, showHelp }: ContentProps) {
  const [typed, setTyped] = useState('');
  const { groups, error, isSearching } = useEntries(typed, showHelp);
  return <Chooser {...{ typed, setTyped, groups, error, isSearching, choose }} />;
}
