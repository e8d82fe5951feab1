import { Alert, Button, Card, Group, Stack, Title } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { inWords } from '../api/words.ts';

interface FormProps {
  /** What it is about, if that is only a part of the page. */
  title?: string;
  /** What the button says. */
  button: string;
  /** The colour of the button, for what destroys something. */
  color?: 'red.9';
  submit: (form: HTMLFormElement) => void;
  isPending: boolean;
  /** Whether it cannot be sent now. */
  isOff?: boolean;
  /** What the service has answered, if it refused. */
  error: unknown;
  /** Whether the error is also about something other than the fields. */
  rest: boolean;
  /** Further buttons. */
  more?: ReactNode;
  children: ReactNode;
}

/** Fields that are sent together, as a card. The service checks them. */
export function Form({ title, ...props }: FormProps) {
  return (
    <Card withBorder maw={720} component="section" aria-label={title}>
      {title && (
        <Title order={2} size="h5" mb="sm">
          {title}
        </Title>
      )}
      <PlainForm {...props} />
    </Card>
  );
}

/** Fields that are sent together, and what is wrong with them. */
export function PlainForm(props: Omit<FormProps, 'title'>) {
  const { button, color, submit, isPending, isOff = false, error, rest, more, children } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isOff) submit(event.currentTarget);
  };
  return (
    <form ref={form} onSubmit={send} noValidate>
      <Stack>
        {rest && (
          <Alert color="red" variant="outline" role="alert">
            {inWords(error)}
          </Alert>
        )}
        {children}
        <Group>
          <Button type="submit" {...(color && { color })} loading={isPending} disabled={isOff}>
            {button}
          </Button>
          {more}
        </Group>
      </Stack>
    </form>
  );
}
