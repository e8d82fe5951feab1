import type { components } from '@berth/client';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { specifications } from '../../../format/units.ts';
import { sessionQuery } from '../../../session/session.ts';
import { type Choice, ChoiceCards } from '../choice-cards.tsx';
import type { FieldsProps } from '../fields.tsx';
import { quotaQuery, sizesQuery } from '../queries.ts';
import { priceInWords } from './price.ts';
import { type Left, lacking, leftInWords, leftOf } from './quota.ts';
import { Specifications } from './specifications.tsx';

type Schemas = components['schemas'];

export interface SizeFieldsProps extends FieldsProps {
  location: Schemas['Location'] | undefined;
  system: Schemas['OperatingSystem'] | undefined;
}

/** How large the server is, beside the room that is left of the quota. */
export function SizeFields(props: SizeFieldsProps) {
  const { values, set, errors, location } = props;
  const { data: sizes = [] } = useQuery(sizesQuery);
  const { data: session } = useQuery(sessionQuery);
  const projectId = session?.project?.id ?? 0;
  const { data: quota } = useQuery({ ...quotaQuery(projectId), enabled: projectId > 0 });
  const left = quota ? leftOf(quota) : {};
  const { servers, addresses } = left;
  // Own specifications have the room of each part beside it.
  const room = leftInWords(values.size ? left : { servers, addresses });
  const sizesHere = sizes.filter(
    ({ location_ids }) => location === undefined || (location_ids?.includes(location.id) ?? true),
  );
  return (
    <>
      {sizesHere.length > 0 && (
        <ChoiceCards
          label="Size"
          choices={[own, ...sizesHere.map((size) => choiceOf(size, left))]}
          value={values.size}
          change={(size) => set({ size })}
          error={errors.size}
        />
      )}
      {!values.size && <Specifications {...props} left={left} />}
      {room && (
        <Text size="sm" c="dimmed">
          Left of the quota of the project: {room}.
        </Text>
      )}
    </>
  );
}

const own = { value: '', label: 'Own specifications', details: 'Cores, memory and disk' };

function choiceOf(size: Schemas['Size'], left: Left): Choice {
  const missing = lacking(left, size);
  return {
    value: String(size.id),
    label: size.name,
    details: (
      <>
        {specifications(size)}
        {size.price && <br />}
        {size.price && priceInWords(size.price)}
        {missing && <br />}
        {missing && `Needs more ${missing} than is left of the quota`}
      </>
    ),
  };
}
