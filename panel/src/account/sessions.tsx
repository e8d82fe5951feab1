import type { components } from '@berth/client';
import { Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLeave } from '../session/leave.ts';
import { signOutEverywhere } from '../session/session.ts';
import { type Column, List } from '../shell/list.tsx';
import { Question } from '../shell/question.tsx';
import { Time } from '../shell/time.tsx';
import { browserOf } from './browser.ts';
import { sessionsQuery } from './queries.ts';

const columns: Column<components['schemas']['Session']>[] = [
  {
    name: 'Browser',
    show: ({ user_agent, is_current }) => (
      <span title={user_agent}>
        {browserOf(user_agent)}
        {is_current && (
          <Text span c="dimmed" size="sm">
            {' '}
            (this one)
          </Text>
        )}
      </span>
    ),
  },
  { name: 'Address', show: ({ address }) => address },
  { name: 'Signed in', show: ({ created_at }) => <Time at={created_at} relative /> },
  { name: 'Last use', show: ({ last_used_at }) => <Time at={last_used_at} relative /> },
];

/** The browsers in which this person is signed in, and the end of all sessions. */
export function Sessions() {
  const query = useQuery(sessionsQuery);
  const [isOpen, { open, close }] = useDisclosure(false);
  const [withTokens, setWithTokens] = useState(false);
  const leave = useLeave();
  const end = async () => {
    await signOutEverywhere(withTokens);
    await leave();
  };
  return (
    <Stack component="section" gap="sm" aria-labelledby="sessions">
      <Group justify="space-between">
        <Title order={2} size="h4" id="sessions">
          Sessions
        </Title>
        <Button variant="outline" color="red" size="xs" onClick={open}>
          Sign out everywhere
        </Button>
      </Group>
      <List name="sessions" query={query} columns={columns} />
      <Question
        isOpen={isOpen}
        close={close}
        title="Sign out everywhere?"
        answer="Sign out everywhere"
        act={end}
      >
        <Stack gap="sm">
          All your sessions end, also this one. If somebody else may know your password, change it
          instead, which ends the others.
          <Checkbox
            label="Revoke my tokens in all projects, too"
            checked={withTokens}
            onChange={({ currentTarget }) => setWithTokens(currentTarget.checked)}
          />
        </Stack>
      </Question>
    </Stack>
  );
}
