import { Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { locationsQuery } from '../../api/queries.ts';
import { specifications } from '../../format/units.ts';
import { say, sayFailed } from '../../servers/actions/toasts.tsx';
import { priceInWords } from '../../servers/create/sizes/price.ts';
import { List } from '../../shell/list.tsx';
import { Empty } from '../../shell/messages.tsx';
import { Page } from '../../shell/page.tsx';
import { Question, useAsked } from '../../shell/question.tsx';
import { AddLink, OneLink } from '../links.tsx';
import { allSizesQuery, type Size } from './queries.ts';

/** The sizes that servers can have. */
export function SizesPage() {
  const query = useQuery(allSizesQuery);
  const { data: locations = [] } = useQuery(locationsQuery);
  const queries = useQueryClient();
  const { asked, ask, ...question } = useAsked<Size>();
  const read = () => queries.invalidateQueries({ queryKey: ['sizes'] });
  const deprecating = useMutation({
    mutationFn: ({ id, deprecated }: Size) =>
      berth.PATCH('/v1/sizes/{id}', {
        params: { path: { id } },
        body: { deprecated: !deprecated },
      }),
    onError: (error) => sayFailed('The size was not changed', error),
    onSettled: read,
  });
  const remove = async () => {
    if (!asked) return;
    await berth.DELETE('/v1/sizes/{id}', { params: { path: { id: asked.id } } });
    await read();
    say(`The size ${asked.name} was deleted`, []);
  };
  const add = <AddLink to="/admin/sizes/new">New size</AddLink>;
  return (
    <Page title="Sizes" action={add}>
      <List
        name="sizes"
        query={query}
        columns={[
          {
            name: 'Name',
            show: ({ id, name, deprecated }) => (
              <Group gap="xs">
                <OneLink to="/admin/sizes/$id" id={id}>
                  {name}
                </OneLink>
                {deprecated && (
                  <Badge variant="default" tt="none">
                    out of use
                  </Badge>
                )}
              </Group>
            ),
          },
          { name: 'Resources', show: (size) => specifications(size) },
          { name: 'Price', show: ({ price }) => (price ? priceInWords(price) : 'none') },
          {
            name: 'Locations',
            show: ({ location_ids: ids }) =>
              ids
                ? ids.map((id) => locations.find((one) => one.id === id)?.name ?? id).join(', ')
                : 'all',
          },
        ]}
        actions={(size) => (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <Button
              variant="subtle"
              size="xs"
              loading={deprecating.isPending && deprecating.variables.id === size.id}
              onClick={() => deprecating.mutate(size)}
            >
              {size.deprecated ? 'Use again' : 'Take out of use'}
              <span className="sr-only"> {size.name}</span>
            </Button>
            <Button variant="subtle" color="red" size="xs" onClick={() => ask(size)}>
              Delete<span className="sr-only"> {size.name}</span>
            </Button>
          </Group>
        )}
        empty={
          <Empty title="There are no sizes">
            <Text>Without sizes, people choose cores, memory and disk themselves.</Text>
            {add}
          </Empty>
        }
      />
      <Question
        {...question}
        title={`Delete ${asked?.name}?`}
        answer="Delete the size"
        act={remove}
      >
        Only a size that no server has can be deleted. Take others out of use: servers keep them.
      </Question>
    </Page>
  );
}
