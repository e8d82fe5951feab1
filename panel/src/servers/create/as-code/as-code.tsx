import { Button, Card, CopyButton, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { locationsQuery } from '../../../api/queries.ts';
import { sessionQuery } from '../../../session/session.ts';
import { keysQuery } from '../../../ssh-keys/queries.ts';
import { CodeBlock } from '../code-block.tsx';
import type { Values } from '../form.ts';
import { sizesQuery, systemsQuery } from '../queries.ts';
import { clientCodeOf } from './client-code.ts';
import { commandLineOf } from './command-line.ts';
import { curlOf } from './curl.ts';
import { namedBody, type ShownRequest } from './request.ts';

const ways = [
  {
    name: 'curl',
    write: curlOf,
    about: 'BERTH_TOKEN is a token of the project, and ROOT_PASSWORD the password of root.',
  },
  {
    name: 'berth',
    write: commandLineOf,
    about:
      'After "berth login", or with a token in BERTH_TOKEN. A password is generated and shown.',
  },
  {
    name: 'TypeScript',
    write: clientCodeOf,
    about: 'BERTH_TOKEN and ROOT_PASSWORD are variables of the environment.',
  },
];

/** What does the same as the form, for other programs, without secrets. */
export default function AsCode({ values }: { values: Values }) {
  const request = useShownRequest(values);
  return (
    <Card withBorder component="section" aria-label="The same as code">
      <Title order={2} size="h5" mb="sm">
        The same as code
      </Title>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List>
          {ways.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {ways.map(({ name, about, write }) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <Shown name={name} code={write(request)} about={about} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}

function Shown({ name, code, about }: Record<'name' | 'code' | 'about', string>) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="xs" c="dimmed">
        {about} User data and commands are shown as they are: leave out what is secret in them.
      </Text>
      <CodeBlock label={`Code for ${name}`}>{code}</CodeBlock>
      <CopyButton value={code} timeout={2000}>
        {({ copied, copy }) => (
          <Button variant="default" size="compact-sm" onClick={copy}>
            {copied ? 'It is copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}

function useShownRequest(values: Values): ShownRequest {
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: systems = [] } = useQuery(systemsQuery);
  const { data: sizes = [] } = useQuery(sizesQuery);
  const { data: keys = [] } = useQuery(keysQuery);
  const { data: session } = useQuery(sessionQuery);
  const { projects = [], project } = session ?? {};
  return {
    url: window.location.origin,
    project: projects.length > 1 ? project?.name : undefined,
    body: namedBody(values, { locations, systems, sizes, keys }),
  };
}
