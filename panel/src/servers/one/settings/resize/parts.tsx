import type { components } from '@berth/client';
import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { memory } from '../../../../format/units.ts';
import type { Server } from '../../../../live/apply.ts';
import type { Wanted } from './wanted.ts';

type Limits = components['schemas']['Location']['limits'];
type Part = keyof Limits;

interface PartsProps {
  wanted: Wanted;
  server: Server;
  errors: Partial<Record<Part, string>>;
  set: (changed: Partial<Wanted>) => void;
  limits: Limits | undefined;
}

const parts = [
  { part: 'cpu', label: 'Cores', unit: '', step: 1 },
  { part: 'ram', label: 'Memory', unit: 'MiB', step: 512 },
  { part: 'disk', label: 'Disk', unit: 'GiB', step: 5 },
] as const;

/** The cores, the memory and the disk of a server without a size, with what the location offers. */
export function Parts({ wanted, server, errors, set, limits }: PartsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {parts.map(({ part, label, unit, step }) => (
        <TextInput
          key={part}
          type="number"
          label={label}
          description={limits && rangeOf(part, limits, server)}
          rightSection={unit && <Text size="sm">{unit}</Text>}
          rightSectionPointerEvents="none"
          rightSectionWidth={unit ? 44 : undefined}
          step={step}
          min={1}
          value={wanted[part] || ''}
          onChange={({ currentTarget }) => set({ [part]: Number(currentTarget.value) })}
          error={errors[part]}
        />
      ))}
    </SimpleGrid>
  );
}

function rangeOf(part: Part, limits: Limits, { specifications }: Server): string {
  const { min, max } = limits[part];
  if (part === 'ram') return `${memory(min)} to ${memory(max)}`;
  if (part === 'cpu') return `${min} to ${max}`;
  // A disk only grows.
  return `${Math.max(min, specifications.disk)} to ${Math.max(max, specifications.disk)} GiB`;
}
