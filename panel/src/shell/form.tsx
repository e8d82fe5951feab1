import { Alert, Button, Card, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { inWords } from '../api/words.ts';

interface FormProps {
  /** What the button says. */
  button: string;
  submit: (form: HTMLFormElement) => void;
  isPending: boolean;
  /** What the service has answered, if it refused. */
  error: unknown;
  /** Whether the error is also about something other than the fields. */
  rest: boolean;
  /** Further buttons. */
  more?: ReactNode;
  children: ReactNode;
}

/** Fields that are sent together. The service checks them. */
export function Form({ button, submit, isPending, error, rest, more, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit(event.currentTarget);
  };
  return (
    <form ref={form} onSubmit={send} noValidate>
      <Card withBorder maw={720}>
        <Stack>
          {rest && (
            <Alert color="red" variant="outline" role="alert">
              {inWords(error)}
            </Alert>
          )}
          {children}
          <Group>
            <Button type="submit" loading={isPending}>
              {button}
            </Button>
            {more}
          </Group>
        </Stack>
      </Card>
    </form>
  );
}
