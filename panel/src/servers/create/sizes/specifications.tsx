import type { components } from '@berth/client';
import { SimpleGrid, TextInput } from '@mantine/core';
import type { FieldsProps } from '../fields.tsx';
import { amountIn, type Demand, type Left, leftOfPart } from './quota.ts';

type Schemas = components['schemas'];

interface SpecificationsProps extends FieldsProps {
  location: Schemas['Location'] | undefined;
  system: Schemas['OperatingSystem'] | undefined;
  left: Left;
}

const amounts = [
  { field: 'cpu', label: 'Cores', step: 1 },
  { field: 'ram', label: 'Memory in MiB', step: 512 },
  { field: 'disk', label: 'Disk in GiB', step: 5 },
] as const;

/** Cores, memory and disk of a server that has no size. */
export function Specifications(props: SpecificationsProps) {
  const { values, set, errors, location, system, left } = props;
  const range = (field: keyof Demand) => {
    if (!location) return undefined;
    const { min, max } = location.limits[field];
    const least = field === 'cpu' ? min : Math.max(min, system?.minimum[field] ?? 0);
    return `${amountIn[field](least)} to ${amountIn[field](max)}`;
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {amounts.map(({ field, label, step }) => (
        <TextInput
          key={field}
          label={label}
          description={[range(field), leftOfPart(left, field)].filter(Boolean).join(', ')}
          type="number"
          inputMode="numeric"
          step={step}
          min={0}
          value={values[field] || ''}
          onChange={({ currentTarget }) => set({ [field]: Number(currentTarget.value) })}
          error={errors[field]}
        />
      ))}
    </SimpleGrid>
  );
}
