import { Text } from '@mantine/core';
import { specifications } from '../../../format/units.ts';
import { type Choice, ChoiceCards } from '../choice-cards.tsx';
import type { FieldsProps } from '../fields.tsx';
import { obstacleOf, type Place, type Size } from './offered.ts';
import { priceParts } from './price.ts';
import { type Left, leftInWords } from './quota.ts';
import { Specifications } from './specifications.tsx';
import { useSizes } from './use-sizes.ts';

/** How large the server is, beside the room that is left of the quota. */
export function SizeFields(props: FieldsProps) {
  const { values, set, errors } = props;
  const { location, system, offered, isRequired, left } = useSizes(values);
  const { servers, addresses } = left;
  const isOwn = !values.size && !isRequired;
  // Own specifications have the room of each part beside it.
  const room = leftInWords(isOwn ? { servers, addresses } : left);
  const choices = offered.map((size) => choiceOf(size, { location, system }, left));
  return (
    <>
      {offered.length > 0 && (
        <ChoiceCards
          label="Size"
          choices={isRequired ? choices : [own, ...choices]}
          value={values.size}
          change={(size) => set({ size })}
          error={errors.size}
        />
      )}
      {isOwn && <Specifications {...props} {...{ location, system, left }} />}
      {isRequired && offered.length === 0 && (
        <Text size="sm" c="var(--mantine-color-error)">
          Servers of this project must have a size, and this location offers none. Choose another
          location, or ask an administrator for a size.
        </Text>
      )}
      {room && (
        <Text size="sm" c="dimmed">
          Left of the quota of the project: {room}.
        </Text>
      )}
    </>
  );
}

/** What is compared first, and what an hour costs below it. */
function Price({ price }: { price: NonNullable<Size['price']> }) {
  const { most, usual } = priceParts(price);
  return (
    <>
      <Text span display="block" size="sm" fw={600} c="var(--mantine-color-text)">
        {most ?? usual}
      </Text>
      {most && (
        <Text span display="block" inherit>
          {usual}
        </Text>
      )}
    </>
  );
}

const own = { value: '', label: 'Own specifications', details: 'Cores, memory and disk' };

function choiceOf(size: Size, place: Place, left: Left): Choice {
  const obstacle = obstacleOf(size, place, left);
  return {
    value: String(size.id),
    label: size.name,
    details: (
      <>
        {specifications(size)}
        {size.price && <Price price={size.price} />}
        {obstacle && (
          <Text span display="block" inherit>
            {obstacle}
          </Text>
        )}
      </>
    ),
  };
}
