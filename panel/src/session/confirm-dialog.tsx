import { Alert, Button, Divider, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useSyncExternalStore } from 'react';
import { passkeysQuery } from '../account/queries.ts';
import { confirmation } from '../api/confirmation.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { inWords } from '../api/words.ts';
import { MethodButtons, type OtherMethod } from './method-buttons.tsx';
import { goToProvider, useOtherMethods } from './methods.ts';
import { confirmByPasskey } from './passkeys.ts';
import { confirmSession, sessionQuery } from './session.ts';

const labels = {
  passkey: 'Use a passkey',
  provider: (name: string) => `Sign in again with ${name}`,
};

interface Attempt {
  by: 'password' | OtherMethod;
  act: () => Promise<void>;
}

/** Asks for a proof that it is still the same person, when the service requires one. */
export function ConfirmDialog() {
  const isOpen = useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
  const { data: session } = useQuery(sessionQuery);
  const hasPassword = session?.user.has_password ?? true;
  const confirming = useMutation({
    mutationFn: ({ act }: Attempt) => act(),
    // Somebody who signs in again at the provider leaves this page.
    onSuccess: (_, { by }) => by !== 'provider' && confirmation.answer(true),
  });
  const cancel = () => {
    confirming.reset();
    confirmation.answer(false);
  };
  // Somebody whose session has ended meanwhile cannot answer.
  useEffect(() => () => confirmation.answer(false), []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get('password'));
    confirming.mutate({ by: 'password', act: () => confirmSession(password) });
  };
  const choose = (by: OtherMethod) =>
    confirming.mutate({ by, act: by === 'passkey' ? confirmByPasskey : signInAgain });
  const pending = confirming.isPending ? confirming.variables.by : undefined;
  const { fields, rest } = fieldErrors(confirming.error, ['password', 'passkey']);
  const problem = fields.passkey ?? (rest && inWords(confirming.error));
  return (
    <Modal
      opened={isOpen}
      onClose={cancel}
      title="Is it still you?"
      closeOnClickOutside={false}
      // Above the dialog that has sent the request.
      zIndex={300}
    >
      <Stack>
        <form onSubmit={submit} noValidate>
          <Stack>
            <Text size="sm">
              You signed in a while ago. Prove that it is you to go on; you are not asked again for
              ten minutes.
            </Text>
            {problem && (
              <Alert color="red" variant="outline" role="alert">
                {problem}
              </Alert>
            )}
            {hasPassword && (
              <PasswordInput
                label="Password"
                name="password"
                autoComplete="current-password"
                error={fields.password}
                visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
                data-autofocus
              />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={cancel}>
                Cancel
              </Button>
              {hasPassword && (
                <Button type="submit" loading={pending === 'password'}>
                  Go on
                </Button>
              )}
            </Group>
          </Stack>
        </form>
        {isOpen && <Others isOnly={!hasPassword} pending={pending} choose={choose} />}
      </Stack>
    </Modal>
  );
}

interface OthersProps {
  /** Whether the person has no password. */
  isOnly: boolean;
  pending: string | undefined;
  choose: (method: OtherMethod) => void;
}

/** Other proofs than the password, for people who have one. */
function Others({ isOnly, pending, choose }: OthersProps) {
  const { hasPasskeys, provider } = useOtherMethods();
  const { data: passkeys = [] } = useQuery({ ...passkeysQuery, enabled: hasPasskeys });
  const methods = { hasPasskeys: hasPasskeys && passkeys.length > 0, provider };
  if (!methods.hasPasskeys && !provider) return null;
  return (
    <>
      {!isOnly && <Divider label="or" />}
      <MethodButtons {...{ methods, labels, pending, choose }} />
      {provider && (
        <Text size="sm" c="dimmed">
          {provider} leads you back to this page, without what you have entered here.
        </Text>
      )}
    </>
  );
}

const signInAgain = () => goToProvider(`${window.location.pathname}${window.location.search}`);
