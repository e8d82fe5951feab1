import { Button, Card, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Project } from '../session/projects.ts';
import type { Session } from '../session/session.ts';
import { Question } from '../shell/question.tsx';
import { useMemberChanges } from './changes.ts';
import { roleWords } from './members.ts';

/** For those who do not manage the members: what they may do themselves. */
export function Leave({ session: { user }, project }: { session: Session; project: Project }) {
  const { remove } = useMemberChanges(project.id);
  const [isOpen, { open, close }] = useDisclosure(false);
  const words = roleWords[project.role ?? 'viewer'];
  return (
    <Card withBorder maw={720}>
      <Stack gap="sm" align="flex-start">
        <Text fw={600}>
          Your role in {project.name}: {words.name}
        </Text>
        <Text size="sm" c="dimmed">
          {words.explanation} The owners of the project see and change its members. Ask one of them
          for another role.
        </Text>
        <Button variant="outline" color="red" size="xs" onClick={open}>
          Leave the project
        </Button>
      </Stack>
      <Question
        {...{ isOpen, close }}
        title={`Leave ${project.name}?`}
        answer="Leave the project"
        act={() => remove({ user_id: user.id, email: user.email, name: user.name }, true)}
      >
        You lose access to the project, and the tokens that you created for it are revoked. Servers
        stay as they are. An owner can add you again.
      </Question>
    </Card>
  );
}
