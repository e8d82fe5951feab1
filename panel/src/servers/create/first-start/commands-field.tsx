import { ActionIcon, Button, Fieldset, Group, Stack, Text, Textarea } from '@mantine/core';
import IconPlus from '@tabler/icons-react/icons/IconPlus';
import IconTrash from '@tabler/icons-react/icons/IconTrash';
import { useEffect, useRef } from 'react';
import {
  type CommandEntry,
  mostCommands,
  withCommand,
  withoutCommand,
  withText,
} from './commands.ts';
import type { Example } from './examples.ts';
import classes from './first-start.module.css';
import { InsertExample } from './insert-example.tsx';

interface CommandsProps {
  entries: CommandEntry[];
  change: (entries: CommandEntry[]) => void;
  /** What is wrong with which command, by its key. */
  errors: ReadonlyMap<number, string>;
  /** What is wrong with all of them. */
  error: string | undefined;
  examples: readonly Example[];
}

/** Commands that the new server runs, one after the other. */
export function CommandsField({ entries, change, errors, error, examples }: CommandsProps) {
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const toFocus = useRef<'last' | 'button'>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field exists once the entries have changed.
  useEffect(() => {
    const added = [...(fieldset.current?.querySelectorAll('textarea') ?? [])].at(-1);
    if (toFocus.current) (toFocus.current === 'last' ? added : addButton.current)?.focus();
    toFocus.current = undefined;
  }, [entries]);
  const add = (text: string) => {
    toFocus.current = 'last';
    change(withCommand(entries, text));
  };
  const remove = (key: number) => {
    toFocus.current = 'button';
    change(withoutCommand(entries, key));
  };
  return (
    <Fieldset ref={fieldset} legend="Commands" variant="unstyled" className={classes.group}>
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          They run once, as root and in this order, after the installation. If one fails, the next
          one runs all the same.
        </Text>
        {error && errors.size === 0 && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        {entries.length > 0 && (
          <Stack component="ol" gap="xs" p={0} m={0} className="plain-list">
            {entries.map(({ key, text }, index) => (
              <Group component="li" key={key} gap="xs" wrap="nowrap" align="flex-start">
                <Textarea
                  aria-label={`Command ${index + 1}`}
                  className={classes.editor}
                  spellCheck={false}
                  autosize
                  minRows={1}
                  maxRows={12}
                  value={text}
                  onChange={({ currentTarget }) =>
                    change(withText(entries, key, currentTarget.value))
                  }
                  error={errors.get(key)}
                />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="input-sm"
                  aria-label={`Remove command ${index + 1}`}
                  onClick={() => remove(key)}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              </Group>
            ))}
          </Stack>
        )}
        {entries.length < mostCommands && (
          <Group gap="xs">
            <Button
              ref={addButton}
              variant="default"
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => add('')}
            >
              Add a command
            </Button>
            <InsertExample what="an example command" examples={examples} insert={add} />
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}
