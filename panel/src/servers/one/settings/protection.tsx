import { Card, Stack, Switch, Title } from '@mantine/core';
import type { Server } from '../../../live/apply.ts';
import { sayChanged, sayFailed } from '../../actions/toasts.tsx';
import { useUpdate } from './update.ts';

const against = { delete: 'deletion', rebuild: 'a rebuild' } as const;
type Against = keyof typeof against;

/** Switches against mistakes. */
export function Protection({ server }: { server: Server }) {
  const changing = useUpdate(server.id);
  const { isPending, variables } = changing;
  const isOn = (action: Against) =>
    (isPending ? variables.protection?.[action] : undefined) ?? server.protection[action];
  const set = (action: Against, toOn: boolean) =>
    changing.mutate(
      { protection: { [action]: toOn } },
      {
        onSuccess: () => {
          const is = toOn ? 'is protected' : 'is no longer protected';
          const before = { protection: { [action]: !toOn } };
          sayChanged(server.hostname, `The server ${is} against ${against[action]}.`, () =>
            changing.mutateAsync(before),
          );
        },
        onError: (error) => sayFailed('The protection was not changed', error),
      },
    );
  return (
    <Card withBorder maw={720} component="section" aria-label="Protection">
      <Title order={2} size="h5" mb="sm">
        Protection
      </Title>
      <Stack gap="sm">
        <Switch
          label="Protect it against deletion"
          description="The service refuses to delete it until this is off."
          checked={isOn('delete')}
          disabled={isPending}
          onChange={({ currentTarget }) => set('delete', currentTarget.checked)}
        />
        <Switch
          label="Protect it against a rebuild"
          description="The service refuses to rebuild it until this is off."
          checked={isOn('rebuild')}
          disabled={isPending}
          onChange={({ currentTarget }) => set('rebuild', currentTarget.checked)}
        />
      </Stack>
    </Card>
  );
}
