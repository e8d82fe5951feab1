import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldErrors } from '../api/field-errors.ts';
import { isMissing } from '../api/words.ts';
import { inBackground } from '../background.ts';
import type { Project } from '../session/projects.ts';
import { Form } from '../shell/form.tsx';
import { Failure, Loading } from '../shell/messages.tsx';
import { Time } from '../shell/time.tsx';
import { ExpiryField, ScopesField } from '../tokens/fields.tsx';
import { bodyOf } from '../tokens/form.ts';
import { scopesQuery, tokensQuery } from '../tokens/queries.ts';
import { approve, deny, waitingQuery } from './queries.ts';

interface WaitingProps {
  code: string;
  project: Project;
  decided: (outcome: 'approved' | 'denied') => void;
}

/** The program that waits with a code, and what its token is to allow. */
export function Waiting({ code, project, decided }: WaitingProps) {
  const queries = useQueryClient();
  const waiting = useQuery(waitingQuery(code));
  const scopes = useQuery(scopesQuery);
  const approving = useMutation({
    mutationFn: async (form: FormData) => {
      const { name: _, ...wanted } = bodyOf(form, Date.now());
      await approve(code, wanted);
    },
    onSuccess: async () => {
      decided('approved');
      await queries.invalidateQueries(tokensQuery);
    },
  });
  const denying = useMutation({ mutationFn: () => deny(code), onSuccess: () => decided('denied') });
  const unread = waiting.error ?? scopes.error;
  const isRead = waiting.data && scopes.data;
  if (unread && (!isRead || isMissing(unread))) {
    const retry = () => inBackground(Promise.all([waiting.refetch(), scopes.refetch()]));
    return <Failure title="The request cannot be shown" error={unread} retry={retry} />;
  }
  if (!waiting.data || !scopes.data) return <Loading />;
  const { client_name, address, created_at } = waiting.data;
  const error = approving.error ?? denying.error;
  const { fields, rest } = fieldErrors(error, ['scopes', 'expires_at']);
  return (
    <Form
      button="Approve"
      submit={(form) => approving.mutate(new FormData(form))}
      isPending={approving.isPending}
      {...{ error, rest }}
      more={
        <Button variant="default" loading={denying.isPending} onClick={() => denying.mutate()}>
          Deny
        </Button>
      }
    >
      <Stack gap="xs">
        <Text>
          The command line on <strong>{client_name}</strong> asks for a token of the project{' '}
          <strong>{project.name}</strong>.
        </Text>
        <Text size="xl" ff="monospace" fw={700}>
          {code}
        </Text>
        <Text size="sm">
          Approve only if you have just run <code>berth login</code> yourself, and your terminal
          shows this code. Somebody who has sent you a link to this page would get the token.
        </Text>
        <Text size="sm" c="dimmed">
          It asked <Time at={created_at} relative />, from the address {address}.
        </Text>
      </Stack>
      <ScopesField scopes={scopes.data} chosen={scopes.data} error={fields.scopes} />
      <ExpiryField error={fields.expires_at} />
    </Form>
  );
}
