import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { locationsQuery } from '../../api/queries.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { Form } from '../../shell/form.tsx';
import { Page } from '../../shell/page.tsx';
import { bodyOf, names } from './form.ts';
import { addressPoolsQuery } from './queries.ts';

const texts = [
  { name: 'cidr', label: 'Subnet', description: 'Such as 203.0.113.0/24' },
  { name: 'gateway', label: 'Gateway', description: 'Never assigned to a server' },
  { name: 'first', label: 'First address', description: 'By default the first of the subnet' },
  { name: 'last', label: 'Last address', description: 'By default the last of the subnet' },
] as const;

export function NewAddressPoolPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: locations = [] } = useQuery(locationsQuery);
  const adding = useMutation({
    mutationFn: async (form: FormData) =>
      (await berth.POST('/v1/address-pools', { body: bodyOf(form) })).data,
    onSuccess: async ({ cidr }) => {
      await queries.invalidateQueries(addressPoolsQuery);
      await navigate({ to: '/admin/address-pools' });
      say(`The address pool ${cidr} was added`, []);
    },
  });
  const { error, isPending } = adding;
  const { fields, rest } = fieldErrors(error, names, { address_pool_overlaps: 'cidr' });
  return (
    <Page title="Add an address pool">
      <Form
        button="Add the address pool"
        submit={(form) => adding.mutate(new FormData(form))}
        {...{ isPending, error, rest }}
      >
        <NativeSelect
          label="Location"
          description="Whose network carries the subnet"
          name="location_id"
          data={locations.map(({ id, name }) => ({ value: String(id), label: name }))}
          error={fields.location_id}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {texts.map(({ name, label, description }) => (
            <TextInput
              key={name}
              label={label}
              description={description}
              name={name}
              autoComplete="off"
              error={fields[name]}
            />
          ))}
        </SimpleGrid>
        <TextInput
          label="DNS servers"
          description="Up to three, separated by commas. By default the gateway."
          name="nameservers"
          autoComplete="off"
          error={fields.nameservers}
        />
      </Form>
    </Page>
  );
}
