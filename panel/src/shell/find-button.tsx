import { ActionIcon, Button, Kbd } from '@mantine/core';
import IconSearch from '@tabler/icons-react/icons/IconSearch';

/** Opens what the keys for it open, for people who do not know them. */
export function FindButton({ onClick }: { onClick: () => void }) {
  const icon = <IconSearch size={16} aria-hidden />;
  return (
    <>
      <ActionIcon
        variant="default"
        size="lg"
        hiddenFrom="sm"
        aria-label="Find a page, a server or an action"
        onClick={onClick}
      >
        {icon}
      </ActionIcon>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={icon}
        rightSection={
          <Kbd size="xs" aria-hidden>
            Ctrl K
          </Kbd>
        }
        aria-keyshortcuts="Control+K Meta+K"
        onClick={onClick}
      >
        Find
      </Button>
    </>
  );
}
