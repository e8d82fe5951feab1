import { Button, Menu } from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/icons/IconChevronDown';
import type { Example } from './examples.ts';

interface InsertProps {
  /** What is inserted, such as `a command`. */
  what: string;
  examples: readonly Example[];
  insert: (text: string) => void;
}

/** A menu of examples. */
export function InsertExample({ what, examples, insert }: InsertProps) {
  return (
    <Menu position="bottom-start" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Insert {what}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {examples.map(({ name, text }) => (
          <Menu.Item key={name} onClick={() => insert(text)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
