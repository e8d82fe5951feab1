import { NativeSelect, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { inBackground } from '../background.ts';
import { sessionQuery, switchProject } from '../session/session.ts';
import { Page } from '../shell/page.tsx';
import { CodeForm } from './code-form.tsx';
import { Waiting } from './waiting.tsx';

const route = getRouteApi('/signed-in/authorize');

/** Gives the command line of a machine a token, which shows the same code. */
export function AuthorizePage() {
  const { code } = route.useSearch();
  const queries = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const [outcome, setOutcome] = useState<'approved' | 'denied'>();
  if (!session?.project) return null;
  const { projects, project } = session;
  const choose = async (id: string) => {
    const chosen = projects.find((one) => String(one.id) === id);
    if (chosen) await switchProject(queries, chosen);
  };
  return (
    <Page title="Sign in the command line">
      {!outcome && code && projects.length > 1 && (
        <NativeSelect
          label="Project"
          description="The command line is signed in to it"
          maw={720}
          value={String(project.id)}
          onChange={({ currentTarget }) => inBackground(choose(currentTarget.value))}
          data={projects.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      {!outcome && !code && <CodeForm />}
      {!outcome && code && <Waiting key={code} {...{ code, project }} decided={setOutcome} />}
      <Text role="status">
        {outcome === 'approved' && 'The command line is signed in. Go back to your terminal.'}
        {outcome === 'denied' && 'The command line was denied, and gets nothing.'}
      </Text>
    </Page>
  );
}
