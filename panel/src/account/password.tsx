import { PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fieldErrors } from '../api/field-errors.ts';
import { counted } from '../format/units.ts';
import { say } from '../servers/actions/toasts.tsx';
import { changePassword } from '../session/session.ts';
import { Form } from '../shell/form.tsx';
import { sessionsQuery } from './queries.ts';

const names = ['password', 'new_password'] as const;

export function PasswordForm() {
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const entered = new FormData(form);
      const [password, new_password] = names.map((name) => String(entered.get(name)));
      return await changePassword({ password: password ?? '', new_password: new_password ?? '' });
    },
    onSuccess: async ({ ended, tokens_left }, form) => {
      form.reset();
      say('Your password was changed', [
        ...(ended > 0 ? [`${counted(ended, 'other session')} ended.`] : []),
        ...(tokens_left > 0
          ? [`You have ${counted(tokens_left, 'token')}, which stay valid.`]
          : []),
      ]);
      await queries.invalidateQueries(sessionsQuery);
    },
  });
  const { error, isPending } = changing;
  const { fields, rest } = fieldErrors(error, names);
  const visibility = (what: string) => ({ 'aria-label': `Show the ${what} password` });
  return (
    <Form button="Change the password" submit={changing.mutate} {...{ isPending, error, rest }}>
      <PasswordInput
        label="Current password"
        name="password"
        autoComplete="current-password"
        error={fields.password}
        visibilityToggleButtonProps={visibility('current')}
      />
      <PasswordInput
        label="New password"
        description="Four unusual words make a good one. Your other sessions end."
        name="new_password"
        autoComplete="new-password"
        error={fields.new_password}
        visibilityToggleButtonProps={visibility('new')}
      />
    </Form>
  );
}
