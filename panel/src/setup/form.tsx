import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/field-errors.ts';
import { inWords } from '../api/words.ts';
import { sessionQuery } from '../session/session.ts';
import { type Administrator, completeSetup, setupQuery } from './setup.ts';
import { Strength } from './strength.tsx';

const empty: Administrator = { code: '', name: '', email: '', password: '' };
const fields = ['code', 'name', 'email', 'password'] as const;
const required = { required: true, withAsterisk: false };
const visibilityToggleButtonProps = { 'aria-label': 'Show the password' };

export function SetupForm() {
  const [values, setValues] = useState(empty);
  const [repeated, setRepeated] = useState('');
  const [differs, setDiffers] = useState(false);
  const router = useRouter();
  const queries = useQueryClient();
  const completing = useMutation({
    mutationFn: () => completeSetup(values),
    onSuccess: async () => {
      queries.setQueryData(setupQuery.queryKey, false);
      await queries.resetQueries({ queryKey: sessionQuery.queryKey });
      // The route leads on to the panel.
      await router.invalidate();
    },
    // Somebody else may have made the first administrator.
    onError: () => queries.invalidateQueries({ queryKey: setupQuery.queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    completing.reset();
    setDiffers(values.password !== repeated);
    if (values.password === repeated) completing.mutate();
  };
  const { fields: errors, rest } = fieldErrors(completing.error, fields);
  const input = (name: keyof Administrator) => ({
    ...{ ...required, name, value: values[name], error: errors[name] },
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setValues((before) => ({ ...before, [name]: value })),
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>Make the first administrator, who adds all other users.</Text>
        {rest && (
          <Alert color="red" variant="outline" role="alert">
            {inWords(completing.error)}
          </Alert>
        )}
        <TextInput
          {...input('code')}
          label="Setup code"
          description="The last start of the service shows it, or names the file that has it."
          placeholder="XXXX-XXXX-XXXX-XXXX-XXXX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          data-autofocus
        />
        <TextInput {...input('name')} label="Name" autoComplete="name" />
        <TextInput {...input('email')} label="Email address" type="email" autoComplete="username" />
        <PasswordInput
          {...input('password')}
          label="Password"
          description="Four unusual words make a good password."
          autoComplete="new-password"
          maxLength={128}
          visibilityToggleButtonProps={visibilityToggleButtonProps}
        />
        <Strength password={values.password} about={[values.email, values.name]} />
        <PasswordInput
          {...required}
          label="Password again"
          autoComplete="new-password"
          value={repeated}
          onChange={({ currentTarget }) => setRepeated(currentTarget.value)}
          error={differs && 'Is not the same as the password.'}
          visibilityToggleButtonProps={visibilityToggleButtonProps}
        />
        <Button type="submit" loading={completing.isPending} fullWidth>
          Make the administrator and sign in
        </Button>
      </Stack>
    </form>
  );
}
