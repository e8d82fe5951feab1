import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { locationsQuery } from '../../api/queries.ts';
import { count } from '../../format/units.ts';
import { say, sayFailed } from '../../servers/actions/toasts.tsx';
import { List } from '../../shell/list.tsx';
import { Empty } from '../../shell/messages.tsx';
import { Page } from '../../shell/page.tsx';
import { Question, useAsked } from '../../shell/question.tsx';
import { AddLink } from '../links.tsx';
import { type AddressPool, addressPoolsQuery } from './queries.ts';

/** Where servers get their addresses from. */
export function AddressPoolsPage() {
  const query = useQuery(addressPoolsQuery);
  const { data: locations = [] } = useQuery(locationsQuery);
  const queries = useQueryClient();
  const { asked, ask, ...question } = useAsked<AddressPool>();
  const changing = useMutation({
    mutationFn: ({ id, enabled }: AddressPool) =>
      berth.PATCH('/v1/address-pools/{id}', {
        params: { path: { id } },
        body: { enabled: !enabled },
      }),
    onError: (error) => sayFailed('The address pool was not changed', error),
    onSettled: () => queries.invalidateQueries(addressPoolsQuery),
  });
  const remove = async () => {
    if (!asked) return;
    await berth.DELETE('/v1/address-pools/{id}', { params: { path: { id: asked.id } } });
    await queries.invalidateQueries(addressPoolsQuery);
    say(`The address pool ${asked.cidr} was removed`, []);
  };
  const add = <AddLink to="/admin/address-pools/new">Add an address pool</AddLink>;
  return (
    <Page title="Address pools" action={add}>
      <List
        name="address pools"
        query={query}
        columns={[
          { name: 'Subnet', show: ({ cidr }) => cidr },
          {
            name: 'Location',
            show: ({ location_id }) => locations.find(({ id }) => id === location_id)?.name,
          },
          {
            name: 'Addresses',
            show: ({ first, last, gateway }) => (
              <>
                <Text size="sm">
                  {first} to {last}
                </Text>
                <Text size="xs" c="dimmed">
                  gateway {gateway}
                </Text>
              </>
            ),
          },
          {
            name: 'In use',
            show: ({ held, reserved }) =>
              `${count(held)}${reserved.length > 0 ? `, and ${count(reserved.length)} reserved` : ''}`,
          },
          { name: 'State', show: ({ enabled }) => (enabled ? 'in use' : 'not for new servers') },
        ]}
        actions={(pool) => (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <Button
              variant="subtle"
              size="xs"
              loading={changing.isPending && changing.variables.id === pool.id}
              onClick={() => changing.mutate(pool)}
            >
              {pool.enabled ? 'Disable' : 'Enable'}
              <span className="sr-only"> {pool.cidr}</span>
            </Button>
            {pool.held === 0 && (
              <Button variant="subtle" color="red" size="xs" onClick={() => ask(pool)}>
                Remove<span className="sr-only"> {pool.cidr}</span>
              </Button>
            )}
          </Group>
        )}
        empty={
          <Empty title="There are no address pools">
            <Text>New servers get no addresses without one.</Text>
            {add}
          </Empty>
        }
      />
      <Question
        {...question}
        title={`Remove ${asked?.cidr}?`}
        answer="Remove the address pool"
        act={remove}
      >
        No server has an address of it, and no new one gets any. To keep it for later, disable it.
      </Question>
    </Page>
  );
}
