import { Radio, SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './choice-cards.module.css';

export interface Choice {
  value: string;
  label: string;
  /** What it is, in a few words. */
  details?: ReactNode;
  logo?: ReactNode;
}

interface ChoiceCardsProps {
  label: string;
  description?: ReactNode;
  choices: readonly Choice[];
  value: string;
  change: (value: string) => void;
  error: string | undefined;
}

/** A choice of one, with a card for each. Arrow keys move between them, as in any group of radio buttons. */
export function ChoiceCards({
  label,
  description,
  choices,
  value,
  change,
  error,
}: ChoiceCardsProps) {
  return (
    <Radio.Group {...{ label, description, value, error }} onChange={change}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
        {choices.map((choice) => (
          <div key={choice.value} className={classes.card}>
            <Radio value={choice.value} label={choice.label} description={choice.details} />
            {choice.logo}
          </div>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
