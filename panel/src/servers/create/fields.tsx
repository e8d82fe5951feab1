import { Checkbox, MultiSelect, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { locationsQuery } from '../../api/queries.ts';
import { memory, specifications } from '../../format/units.ts';
import { keysQuery } from '../../ssh-keys/queries.ts';
import type { Field, Values } from './form.ts';
import { sizesQuery, systemsQuery } from './queries.ts';

interface FieldsProps {
  values: Values;
  change: (values: Values) => void;
  errors: Partial<Record<Field, string>>;
}

const own = { value: '', label: 'Own specifications' };

/** The fields of a new server, each with what is wrong with it. */
export function Fields({ values, change, errors }: FieldsProps) {
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: systems = [] } = useQuery(systemsQuery);
  const { data: sizes = [] } = useQuery(sizesQuery);
  const { data: keys = [] } = useQuery(keysQuery);
  const location = locations.find(({ id }) => String(id) === values.location_id);
  const set = (changed: Partial<Values>) => change({ ...values, ...changed });
  const sizesHere = sizes.filter(
    ({ location_ids }) => location === undefined || (location_ids?.includes(location.id) ?? true),
  );
  return (
    <>
      <TextInput
        label="Name"
        description="The host name, such as web-1"
        autoComplete="off"
        value={values.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        error={errors.name}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label="Location"
          allowDeselect={false}
          data={locations
            .filter(({ enabled }) => enabled)
            .map(({ id, name }) => ({ value: String(id), label: name }))}
          value={values.location_id || null}
          onChange={(id) => set({ location_id: id ?? '' })}
          error={errors.location_id}
        />
        <Select
          label="Operating system"
          allowDeselect={false}
          data={systems
            .filter(({ id }) => location?.os_ids?.includes(id) ?? true)
            .map(({ id, name, version }) => ({ value: String(id), label: `${name} ${version}` }))}
          value={values.os_id || null}
          onChange={(id) => set({ os_id: id ?? '' })}
          error={errors.os_id}
        />
      </SimpleGrid>
      {sizesHere.length > 0 && (
        <Select
          label="Size"
          allowDeselect={false}
          data={[
            own,
            ...sizesHere.map((size) => ({
              value: String(size.id),
              label: `${size.name}: ${specifications(size)}`,
            })),
          ]}
          value={values.size}
          onChange={(id) => set({ size: id ?? '' })}
          error={errors.size}
        />
      )}
      {!values.size && <Specifications {...{ values, errors, set }} limits={location?.limits} />}
      <MultiSelect
        label="SSH keys"
        description={
          keys.length === 0 ? 'The project has none. Add one on the page SSH keys.' : undefined
        }
        disabled={keys.length === 0}
        data={keys.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={values.ssh_keys}
        onChange={(ssh_keys) => set({ ssh_keys })}
        error={errors.ssh_keys}
      />
      <Checkbox
        label="Allow logging in with a password, which is generated and shown once"
        checked={values.password_login}
        onChange={({ currentTarget }) => set({ password_login: currentTarget.checked })}
        error={errors.password_login}
      />
    </>
  );
}

interface Bounds {
  min: number;
  max: number;
}

interface SpecificationsProps extends Omit<FieldsProps, 'change'> {
  set: (changed: Partial<Values>) => void;
  limits: Record<'cpu' | 'ram' | 'disk', Bounds> | undefined;
}

function Specifications({ values, errors, set, limits }: SpecificationsProps) {
  const amounts = [
    { field: 'cpu', label: 'Cores', unit: '', step: 1 },
    { field: 'ram', label: 'Memory', unit: 'MiB', step: 512 },
    { field: 'disk', label: 'Disk', unit: 'GiB', step: 5 },
  ] as const;
  const range = (field: 'cpu' | 'ram' | 'disk', unit: string) => {
    if (!limits) return undefined;
    const { min, max } = limits[field];
    return field === 'ram' ? `${memory(min)} to ${memory(max)}` : `${min} to ${max} ${unit}`.trim();
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {amounts.map(({ field, label, unit, step }) => (
        <TextInput
          key={field}
          type="number"
          label={unit ? `${label} (${unit})` : label}
          description={range(field, unit)}
          step={step}
          min={step}
          value={values[field] || ''}
          onChange={({ currentTarget }) => set({ [field]: currentTarget.valueAsNumber || 0 })}
          error={errors[field]}
        />
      ))}
    </SimpleGrid>
  );
}
