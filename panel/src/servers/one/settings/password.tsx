import { PasswordInput, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { berth } from '../../../api/berth.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import type { Server } from '../../../live/apply.ts';
import { Form } from '../../../shell/form.tsx';
import { SecretDialog } from '../../../shell/secret-dialog.tsx';
import { announce } from '../../actions/act.ts';
import { generatePassword } from '../../generate-password.ts';
import { NotNow } from './not-now.tsx';

/** Gives `root` another password, which is generated or entered. */
export function PasswordForm({ server }: { server: Server }) {
  const { hostname, allowed_actions, password_login } = server;
  const [isGenerated, setGenerated] = useState(true);
  const [entered, setEntered] = useState('');
  const changing = useMutation({
    // The password is forgotten with the page.
    gcTime: 0,
    mutationFn: async () => {
      const password = isGenerated ? generatePassword() : entered;
      const params = { path: { id: server.id } };
      const { data } = await berth.POST('/v1/servers/{id}/password', {
        params,
        body: { password },
      });
      announce('password', server, data);
      return isGenerated ? password : undefined;
    },
    onSuccess: () => setEntered(''),
  });
  const { error, isPending, data: generated } = changing;
  const { fields, rest } = fieldErrors(error, ['password']);
  const isAllowed = allowed_actions.includes('password');
  return (
    <Form
      title="Root password"
      button="Change the password"
      submit={() => changing.mutate()}
      isOff={!isAllowed}
      {...{ isPending, error, rest }}
    >
      <Radio.Group
        label="New password"
        value={isGenerated ? 'generated' : 'entered'}
        onChange={(value) => setGenerated(value === 'generated')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="generated" label="Generate one, which is shown once" />
          <Radio value="entered" label="Enter one" />
        </Stack>
      </Radio.Group>
      {!isGenerated && (
        <PasswordInput
          label="Password of root"
          autoComplete="new-password"
          value={entered}
          onChange={({ currentTarget }) => setEntered(currentTarget.value)}
          error={fields.password}
          // PasswordInput does not set it by itself.
          aria-invalid={fields.password !== undefined}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
      )}
      {!password_login && (
        <Text size="sm">
          SSH refuses passwords on this server. The password is for other logins, such as at its
          console.
        </Text>
      )}
      {!isAllowed && <NotNow server={server} />}
      {generated && (
        <SecretDialog
          title={`The password of root on ${hostname}`}
          secret={generated}
          what="password"
          button="Done"
          goOn={changing.reset}
        >
          It is being set, and a message says when it is.
        </SecretDialog>
      )}
    </Form>
  );
}
