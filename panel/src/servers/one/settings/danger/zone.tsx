import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import type { Server } from '../../../../live/apply.ts';
import { NotNow } from '../not-now.tsx';
import { DeleteDialog } from './delete-dialog.tsx';

// Few people open it.
const RebuildDialog = lazy(() => import('./rebuild-dialog.tsx'));

/** What destroys what is on the disk. */
export function DangerZone({ server }: { server: Server }) {
  const [isRebuilding, rebuilding] = useDisclosure(false);
  const [wasOpened, setOpened] = useState(false);
  const [isDeleting, deleting] = useDisclosure(false);
  return (
    <Card
      withBorder
      maw={720}
      component="section"
      aria-label="Danger zone"
      style={{ borderColor: 'var(--mantine-color-error)' }}
    >
      <Title order={2} size="h5" mb="sm">
        Danger zone
      </Title>
      <Stack gap="lg">
        <Danger
          server={server}
          action="rebuild"
          title="Rebuild"
          explanation="Installs a new system. Everything on the disk is lost."
          open={() => {
            setOpened(true);
            rebuilding.open();
          }}
        />
        <Danger
          server={server}
          action="delete"
          title="Delete"
          explanation="Removes the server and everything on its disk for good."
          open={deleting.open}
        />
      </Stack>
      {wasOpened && (
        <Suspense>
          <RebuildDialog server={server} isOpen={isRebuilding} close={rebuilding.close} />
        </Suspense>
      )}
      <DeleteDialog server={server} isOpen={isDeleting} close={deleting.close} />
    </Card>
  );
}

interface DangerProps {
  server: Server;
  action: 'rebuild' | 'delete';
  title: string;
  explanation: string;
  open: () => void;
}

function Danger({ server, action, title, explanation, open }: DangerProps) {
  const isAllowed = server.allowed_actions.includes(action);
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={4} flex="1 1 260px">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {explanation}
        </Text>
        {!isAllowed && server.protection[action] && (
          <Text size="sm">The server is protected against this. End the protection first.</Text>
        )}
        {!isAllowed && !server.protection[action] && <NotNow server={server} />}
      </Stack>
      {isAllowed && (
        <Button variant="outline" color="red" size="sm" onClick={open}>
          {title}
        </Button>
      )}
    </Group>
  );
}
