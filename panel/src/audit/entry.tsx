import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import { count } from '../format/units.ts';
import { NamedServer } from '../servers/named.tsx';
import { Time } from '../shell/time.tsx';
import { actionInWords, isKind, kindNames } from './actions.ts';
import { callerInWords, type Known, tokenName, userName } from './callers.ts';
import { EntryDetails } from './entry-details.tsx';
import type { Entry } from './queries.ts';

interface EntryProps {
  entry: Entry;
  known: Known;
}

/** Who did what to what, whether it was refused, and on request all that is known about it. */
export function OneEntry({ entry, known }: EntryProps) {
  const id = useId();
  const [isOpen, { toggle }] = useDisclosure(false);
  // Counted refusals are recorded up to a minute after the last of them, which is when somebody tried.
  const { action, target, last_at: at } = entry;
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={600} className="breaks">
          {actionInWords(action)}
          {target && target.kind !== 'project' && (
            <>
              <Text span c="dimmed" aria-hidden>
                {' · '}
              </Text>
              <Target target={target} known={known} />
            </>
          )}
        </Text>
        <Text size="xs" c="dimmed" component="span">
          <Time at={at} />
        </Text>
      </Group>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-end">
        <Text size="sm" c="dimmed" className="breaks">
          By {callerInWords(entry, known)}
          <Refusal entry={entry} />
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          flex="none"
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`Details of entry ${entry.id}`}
        >
          Details
        </Button>
      </Group>
      {isOpen && (
        <div id={id}>
          <EntryDetails entry={entry} />
        </div>
      )}
    </Stack>
  );
}

function Target({ target, known }: { target: NonNullable<Entry['target']>; known: Known }) {
  const { kind, id } = target;
  if (kind === 'server') return <NamedServer id={id} />;
  if (kind === 'user') return userName(id, known);
  if (kind === 'token') return tokenName(id, known);
  return `${isKind(kind) ? kindNames[kind] : kind.replaceAll('_', ' ')} ${id}`;
}

function Refusal({ entry: { status, code, count: times } }: { entry: Entry }) {
  if (status < 400) return null;
  return (
    <>
      {', '}
      <Text span size="sm" c="var(--mantine-color-error)">
        refused{times > 1 && ` ${count(times)} times`}
      </Text>
      {code && (
        <>
          {': '}
          <Anchor href={`/docs/errors#${code}`} underline="always" inherit>
            {code}
          </Anchor>
        </>
      )}
    </>
  );
}
