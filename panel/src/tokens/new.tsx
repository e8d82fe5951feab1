import { TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../api/berth.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { inBackground } from '../background.ts';
import { Form } from '../shell/form.tsx';
import { Failure, Loading } from '../shell/messages.tsx';
import { Page } from '../shell/page.tsx';
import { SecretDialog } from '../shell/secret-dialog.tsx';
import { ExpiryField, ScopesField } from './fields.tsx';
import { bodyOf, names } from './form.ts';
import { scopesQuery, tokensQuery } from './queries.ts';

export function NewTokenPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const scopes = useQuery(scopesQuery);
  const creating = useMutation({
    // Nothing keeps the secret once the page is left.
    gcTime: 0,
    mutationFn: async (form: FormData) => {
      const body = bodyOf(form, Date.now());
      return (await berth.POST('/v1/tokens', { body })).data;
    },
    onSuccess: () => queries.invalidateQueries(tokensQuery),
  });
  const { error, isPending, data: created } = creating;
  const { fields, rest } = fieldErrors(error, names);
  return (
    <Page title="New token">
      {scopes.error && !scopes.data && (
        <Failure
          title="The form cannot be shown"
          error={scopes.error}
          retry={() => inBackground(scopes.refetch())}
        />
      )}
      {scopes.isPending && <Loading />}
      {scopes.data && (
        <Form
          button="Create the token"
          submit={(form) => creating.mutate(new FormData(form))}
          {...{ isPending, error, rest }}
        >
          <TextInput
            label="Name"
            description="Such as the name of the program that uses it"
            name="name"
            autoComplete="off"
            error={fields.name}
          />
          <ScopesField scopes={scopes.data} chosen={['servers:read']} error={fields.scopes} />
          <ExpiryField error={fields.expires_at} />
        </Form>
      )}
      {created && (
        <SecretDialog
          title={`The token ${created.name}`}
          secret={created.token}
          what="token"
          button="Done"
          goOn={() => inBackground(navigate({ to: '/tokens' }))}
        >
          Whoever has it can do what it allows.
        </SecretDialog>
      )}
    </Page>
  );
}
