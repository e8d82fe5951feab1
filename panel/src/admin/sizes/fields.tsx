import { Checkbox, Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { locationsQuery } from '../../api/queries.ts';
import { specifications } from '../../format/units.ts';
import { fieldErrorsIn } from '../forms.ts';
import { trafficText } from '../traffic.ts';
import type { names } from './form.ts';
import type { Size } from './queries.ts';

interface FieldsProps {
  /** What it is like so far. What servers have of it never changes. */
  size?: Size;
  fields: Partial<Record<(typeof names)[number], string>>;
  error: unknown;
}

const amounts = [
  { name: 'cpu', label: 'Cores' },
  { name: 'ram', label: 'Memory, in MiB' },
  { name: 'disk', label: 'Disk, in GiB' },
] as const;

/** The fields of a size, each with what is wrong with it. */
export function SizeFields({ size, fields, error }: FieldsProps) {
  const { data: locations = [] } = useQuery(locationsQuery);
  const wrong = fieldErrorsIn(error, 'price');
  const prices = [
    { name: 'hourly', label: 'Price of an hour', value: size?.price?.hourly },
    { name: 'monthly', label: 'Most in a month', value: size?.price?.monthly ?? undefined },
    { name: 'currency', label: 'Currency', value: size?.price?.currency ?? 'EUR' },
  ] as const;
  return (
    <>
      <TextInput
        label="Name"
        description="Such as small"
        name="name"
        autoComplete="off"
        defaultValue={size?.name}
        error={fields.name}
      />
      <TextInput
        label="Description"
        name="description"
        autoComplete="off"
        defaultValue={size?.description}
        error={fields.description}
      />
      {size ? (
        <Text size="sm">{specifications(size)}, which cannot be changed.</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {amounts.map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              name={name}
              inputMode="numeric"
              autoComplete="off"
              error={fields[name]}
            />
          ))}
        </SimpleGrid>
      )}
      <TextInput
        label="Traffic a month"
        description="Such as 500G or 2T. An empty field is that of the location."
        name="traffic_allowance"
        autoComplete="off"
        defaultValue={trafficText(size?.traffic_allowance)}
        error={fields.traffic_allowance}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {prices.map(({ name, label, value }) => (
          <TextInput
            key={name}
            label={label}
            name={name}
            inputMode={name === 'currency' ? 'text' : 'decimal'}
            autoComplete="off"
            defaultValue={value}
            error={wrong[name]}
          />
        ))}
      </SimpleGrid>
      {locations.length > 1 && (
        <Checkbox.Group
          label="Only at these locations"
          description="None chosen: at all of them"
          defaultValue={(size?.location_ids ?? []).map(String)}
          error={fields.location_ids}
        >
          <Group gap="md" mt="xs">
            {locations.map(({ id, name }) => (
              <Checkbox key={id} name="location_ids" value={String(id)} label={name} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </>
  );
}
