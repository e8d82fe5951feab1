import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { inBackground } from '../background.ts';
import { Form } from '../shell/form.tsx';
import { readCode } from './code.ts';

/** For somebody who has opened the page without the code, such as on another machine. */
export function CodeForm() {
  const navigate = useNavigate();
  const [isWrong, setIsWrong] = useState(false);
  const submit = (form: HTMLFormElement) => {
    const code = readCode(new FormData(form).get('code'));
    setIsWrong(code === undefined);
    if (code) inBackground(navigate({ to: '/authorize', search: { code } }));
  };
  return (
    <Form button="Go on" submit={submit} isPending={false} error={isWrong} rest={false}>
      <TextInput
        label="Code"
        description="Your terminal shows it after berth login"
        name="code"
        placeholder="XXXX-XXXX"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        data-autofocus
        error={isWrong && 'Must be eight letters, such as WDJB-MJHT.'}
      />
    </Form>
  );
}
