import { Card, Code, Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { inBackground } from '../background.ts';
import type { Project } from '../session/projects.ts';
import { type Session, sessionQuery } from '../session/session.ts';
import { Failure, Loading } from '../shell/messages.tsx';
import { Page } from '../shell/page.tsx';
import { quotaQuery } from './queries.ts';
import { isUnlimited, type Share, sharesOf } from './quota.ts';

const colors = { usual: 'cyan.9', high: 'yellow.7', full: 'red.8' };

/** What the project may use, and how much of it is left. */
export function QuotaPage() {
  const { data: session } = useQuery(sessionQuery);
  if (!session?.project) return null;
  return (
    <Page title="Quota">
      <Shares session={session} project={session.project} />
    </Page>
  );
}

function Shares({ session, project }: { session: Session; project: Project }) {
  const { data, error, refetch } = useQuery(quotaQuery(project.id));
  if (error && !data) {
    return (
      <Failure
        title="The quota cannot be shown"
        error={error}
        retry={() => inBackground(refetch())}
      />
    );
  }
  if (!data) return <Loading />;
  return (
    <>
      <Text size="sm" c="dimmed">
        {isUnlimited(data)
          ? `The servers of ${project.name} have no limits, except the room on the nodes.`
          : `All servers of ${project.name} together can use this much, whether they run or not.`}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {sharesOf(data).map((share) => (
          <OneShare key={share.resource} share={share} />
        ))}
      </SimpleGrid>
      <HowToRaise isAdmin={session.user.is_admin} project={project} />
    </>
  );
}

function OneShare({ share }: { share: Share }) {
  const { resource, name, used, left, percent, level, explanation } = share;
  const id = `quota-${resource}`;
  return (
    <Card withBorder component="section" aria-labelledby={id} p="md">
      <Stack gap={6}>
        <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
          <Title order={2} size="h6" id={id}>
            {name}
          </Title>
          <Text
            size="sm"
            fw={600}
            ta="right"
            c={level === 'full' ? 'var(--mantine-color-error)' : 'inherit'}
          >
            {left}
          </Text>
        </Group>
        {percent !== undefined && (
          <Progress value={percent} size="lg" color={colors[level]} aria-label={used} />
        )}
        <Text size="sm" c="dimmed">
          {used}
        </Text>
        {explanation && (
          <Text size="xs" c="dimmed">
            {explanation}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function HowToRaise({ isAdmin, project }: { isAdmin: boolean; project: Project }) {
  if (isAdmin) {
    return (
      <Text size="sm" c="dimmed">
        As an administrator, you can change the limits, such as with{' '}
        <Code>berth project update {project.id} --servers 20</Code>.
      </Text>
    );
  }
  return (
    <Text size="sm" c="dimmed">
      If something is used up, delete servers that are not needed, or ask an administrator for more.
    </Text>
  );
}
