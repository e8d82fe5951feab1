import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { counted } from '../../format/units.ts';

/** A text of several lines is shown before it is sent, because each line may be carried out at once. */
export function usePaste(send: (text: string) => void) {
  const [text, setText] = useState('');
  const [isOpen, { open, close }] = useDisclosure(false);
  const ask = (found: string) => {
    setText(found);
    open();
  };
  const take = (found: string) => (/[\r\n]/.test(found) ? ask(found) : send(found));
  return {
    ...{ text, setText, isOpen, close, send, take },
    /** Reads the clipboard if the browser allows it, and otherwise asks for a text. */
    async begin() {
      const found = await readClipboard();
      if (found) take(found);
      else ask('');
    },
  };
}

async function readClipboard(): Promise<string> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    // Somebody refused it, or the page was loaded over HTTP and has no clipboard.
    return '';
  }
}

interface DialogProps extends Omit<ReturnType<typeof usePaste>, 'take' | 'begin'> {
  /** Back to the terminal. */
  goBack: () => void;
}

export function PasteDialog({ text, setText, isOpen, close, send, goBack }: DialogProps) {
  const lines = text.split(/\r\n|\r|\n/).length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    close();
    send(text);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Paste into the terminal"
      size="lg"
      // What is outside of an element in full screen is not shown.
      withinPortal={false}
      styles={{ inner: { left: 0 } }}
      returnFocus={false}
      onExitTransitionEnd={goBack}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            {lines > 1
              ? `These are ${counted(lines, 'line')}. A shell carries out each of them as soon as it is sent.`
              : 'The text is sent as if you typed it.'}
          </Text>
          <Textarea
            label="Text"
            autosize
            minRows={3}
            maxRows={15}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" disabled={text === ''}>
              Send
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
