import { Checkbox, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fieldErrorsIn } from '../forms.ts';
import { allSystemsQuery } from '../operating-systems/queries.ts';
import { type names, parts } from './form.ts';
import { NetworkFields, TrafficFields } from './network-fields.tsx';
import type { Location } from './queries.ts';

export interface FieldsProps {
  location: Location;
  fields: Partial<Record<(typeof names)[number], string>>;
}

/** What can be changed about a location, each with what is wrong with it. */
export function LocationFields({ location, fields, error }: FieldsProps & { error: unknown }) {
  return (
    <>
      <TextInput
        label="Description"
        name="description"
        autoComplete="off"
        defaultValue={location.description}
        error={fields.description}
      />
      <Checkbox
        label="New servers can be created here"
        name="enabled"
        defaultChecked={location.enabled}
        error={fields.enabled}
      />
      <RoomFields location={location} error={error} />
      <Systems location={location} fields={fields} />
      <TextInput
        label="Creates at the same time on one node"
        description="An empty field is twice the number of its cores."
        name="creates_per_node"
        inputMode="numeric"
        autoComplete="off"
        defaultValue={location.creates_per_node ?? ''}
        error={fields.creates_per_node}
      />
      <TrafficFields location={location} fields={fields} />
      <NetworkFields location={location} fields={fields} />
    </>
  );
}

function RoomFields({ location, error }: { location: Location; error: unknown }) {
  const ratios = fieldErrorsIn(error, 'overcommit');
  const bounds = fieldErrorsIn(error, 'limits');
  return (
    <>
      <Fieldset legend="Overcommitment">
        <Text size="sm" c="dimmed" mb="xs">
          How often what a node has can be allocated
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {parts.map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              name={`overcommit.${name}`}
              inputMode="decimal"
              autoComplete="off"
              defaultValue={location.overcommit[name]}
              error={ratios[name]}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend="The smallest and the largest server">
        <Stack gap="xs">
          {parts.map(({ name, label, unit }) => (
            <SimpleGrid key={name} cols={{ base: 1, xs: 2 }}>
              {(['min', 'max'] as const).map((end) => (
                <TextInput
                  key={end}
                  label={`${label}${unit}, at ${end === 'min' ? 'least' : 'most'}`}
                  name={`limits.${name}.${end}`}
                  inputMode="numeric"
                  autoComplete="off"
                  defaultValue={location.limits[name][end]}
                  error={bounds[`${name}.${end}`] ?? bounds[name]}
                />
              ))}
            </SimpleGrid>
          ))}
        </Stack>
      </Fieldset>
    </>
  );
}

function Systems({ location, fields }: FieldsProps) {
  const { data: systems } = useQuery(allSystemsQuery);
  // The choices that are set already are chosen when they appear.
  if (!systems) return null;
  return (
    <Checkbox.Group
      label="Only these operating systems"
      description="None chosen: all of them"
      defaultValue={(location.os_ids ?? []).map(String)}
      error={fields.os_ids}
    >
      <Group gap="md" mt="xs">
        {systems.map(({ id, name, version }) => (
          <Checkbox key={id} name="os_ids" value={String(id)} label={`${name} ${version}`} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
