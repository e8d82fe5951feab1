import type { Operation } from '@berth/client';
import { Group, Loader, Stack, Text } from '@mantine/core';
import { isOver } from '../../../operations/after.ts';
import { CodeBlock } from '../code-block.tsx';
import classes from './command-results.module.css';
import { duration } from './duration.ts';

type Result = NonNullable<Operation['commands']>[number];

interface CommandResultsProps {
  /** How many commands there are. */
  total: number;
  /** Those that have ended. */
  results: readonly Result[];
  /** The commands themselves, as far as this page knows them. */
  texts: readonly string[];
  status: Operation['status'];
}

/** Each command with its outcome and its output. */
export function CommandResults({ total, results, texts, status }: CommandResultsProps) {
  return (
    <Stack component="ol" gap="md" p={0} m={0} className="plain-list">
      {Array.from({ length: total }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a command is its position.
        <li key={index}>
          <Stack gap={4}>
            <Group gap="xs" justify="space-between">
              <Text size="sm" fw={600}>
                Command {index + 1}
              </Text>
              <Outcome
                result={results[index]}
                isNext={index === results.length && status === 'running'}
                isOver={isOver({ status })}
              />
            </Group>
            {texts[index] && (
              <Text ff="monospace" size="sm" className={classes.command}>
                {texts[index]}
              </Text>
            )}
            <Output result={results[index]} />
          </Stack>
        </li>
      ))}
    </Stack>
  );
}

interface OutcomeProps {
  result: Result | undefined;
  isNext: boolean;
  isOver: boolean;
}

function Outcome({ result, isNext, isOver }: OutcomeProps) {
  if (!result) {
    return (
      <Group gap={6}>
        {isNext && <Loader size={12} aria-hidden />}
        <Text size="sm" c="dimmed">
          {isOver ? 'has not ended' : isNext ? 'running, or about to' : 'waiting'}
        </Text>
      </Group>
    );
  }
  const { exit_status, duration_ms } = result;
  return (
    <Text size="sm" c={exit_status === 0 ? 'dimmed' : 'var(--mantine-color-error)'}>
      {exit_status === 0 ? 'succeeded' : `failed with exit status ${exit_status}`}
      {duration_ms !== null && ` after ${duration(duration_ms)}`}
    </Text>
  );
}

function Output({ result }: { result: Result | undefined }) {
  if (!result) return null;
  if (result.output_note) return <Text size="sm">{result.output_note}</Text>;
  if (!result.output) return <Text size="sm">It has written nothing.</Text>;
  return <CodeBlock label={`Output of command ${result.index + 1}`}>{result.output}</CodeBlock>;
}
