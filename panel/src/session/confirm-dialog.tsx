import { Alert, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useSyncExternalStore } from 'react';
import { confirmation } from '../api/confirmation.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { inWords } from '../api/words.ts';
import { confirmSession } from './session.ts';

/** Asks for the password when the service requires a proof that it is still the same person. */
export function ConfirmDialog() {
  const isOpen = useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
  const confirming = useMutation({
    mutationFn: confirmSession,
    onSuccess: () => confirmation.answer(true),
  });
  const cancel = () => {
    confirming.reset();
    confirmation.answer(false);
  };
  // Somebody whose session has ended meanwhile cannot answer.
  useEffect(() => () => confirmation.answer(false), []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    confirming.mutate(String(new FormData(event.currentTarget).get('password')));
  };
  const { fields, rest } = fieldErrors(confirming.error, ['password']);
  return (
    <Modal
      opened={isOpen}
      onClose={cancel}
      title="Is it still you?"
      closeOnClickOutside={false}
      // Above the dialog that has sent the request.
      zIndex={300}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">
            You signed in a while ago. Enter your password to go on; you are not asked again for ten
            minutes.
          </Text>
          {rest && (
            <Alert color="red" variant="outline" role="alert">
              {inWords(confirming.error)}
            </Alert>
          )}
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            error={fields.password}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <Button type="submit" loading={confirming.isPending}>
              Go on
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
