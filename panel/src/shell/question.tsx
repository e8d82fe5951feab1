import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { inWords } from '../api/words.ts';

interface QuestionProps {
  isOpen: boolean;
  close: () => void;
  title: string;
  /** What the button says that does it. */
  answer: string;
  act: () => Promise<void>;
  children: ReactNode;
}

/** Asks before something that cannot be undone, and says why it failed. */
export function Question({ isOpen, close, title, answer, act, children }: QuestionProps) {
  const acting = useMutation({
    mutationFn: act,
    onSuccess: () => {
      close();
      // What was asked about is gone, and the button that asked with it.
      document.getElementById('content')?.focus();
    },
  });
  const end = () => {
    if (acting.isPending) return;
    acting.reset();
    close();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={end}
      title={title}
      returnFocus={!acting.isSuccess}
      onExitTransitionEnd={acting.reset}
    >
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {acting.isError && (
          <Alert color="red" variant="outline" role="alert">
            {inWords(acting.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={end} data-autofocus>
            Cancel
          </Button>
          <Button color="red.9" loading={acting.isPending} onClick={() => acting.mutate()}>
            {answer}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** What a question is about, which stays while its dialog disappears. */
export function useAsked<Item>() {
  const [asked, setAsked] = useState<Item>();
  const [isOpen, { open, close }] = useDisclosure(false);
  const ask = (item: Item) => {
    setAsked(item);
    open();
  };
  return { asked, ask, isOpen, close };
}
