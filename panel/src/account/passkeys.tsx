import type { components } from '@berth/client';
import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { say } from '../servers/actions/toasts.tsx';
import { useOtherMethods } from '../session/methods.ts';
import { addPasskey } from '../session/passkeys.ts';
import { Form } from '../shell/form.tsx';
import { type Column, List } from '../shell/list.tsx';
import { Question, useAsked } from '../shell/question.tsx';
import { Time } from '../shell/time.tsx';
import { browserOf } from './browser.ts';
import { passkeysQuery } from './queries.ts';

type Passkey = components['schemas']['Passkey'];

const columns: Column<Passkey>[] = [
  { name: 'Name', show: ({ name }) => name },
  { name: 'Added', show: ({ created_at }) => <Time at={created_at} relative /> },
  {
    name: 'Last use',
    show: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} relative /> : 'never'),
  },
];

const thisBrowser = browserOf(navigator.userAgent);

/** The passkeys with which this person can sign in. */
export function Passkeys() {
  const query = useQuery(passkeysQuery);
  const queries = useQueryClient();
  const { hasPasskeys, elsewhere } = useOtherMethods();
  const { asked, ask, ...question } = useAsked<Passkey>();
  const remove = async () => {
    if (!asked) return;
    await berth.DELETE('/v1/passkeys/{id}', { params: { path: { id: asked.id } } });
    await queries.invalidateQueries(passkeysQuery);
    say(`The passkey ${asked.name} was deleted`, []);
  };
  const deletion = (passkey: Passkey) => (
    <Button variant="subtle" color="red" size="xs" onClick={() => ask(passkey)}>
      Delete<span className="sr-only"> {passkey.name}</span>
    </Button>
  );
  return (
    <Stack component="section" gap="sm" aria-labelledby="passkeys">
      <Title order={2} size="h4" id="passkeys">
        Passkeys
      </Title>
      <List
        name="passkeys"
        query={query}
        columns={columns}
        actions={deletion}
        minWidth={480}
        empty={<Text size="sm">You have no passkeys.</Text>}
      />
      {hasPasskeys ? (
        <NewPasskey />
      ) : (
        <Text size="sm" c="dimmed" className="breaks">
          {elsewhere
            ? `Passkeys cannot be used at this address. They may work at ${elsewhere}.`
            : 'This browser, or the address of this installation, has no passkeys.'}
        </Text>
      )}
      <Question
        {...question}
        title={`Delete ${asked?.name}?`}
        answer="Delete the passkey"
        act={remove}
      >
        You can no longer sign in with it. Delete it on your device as well, which may still offer
        it.
      </Question>
    </Stack>
  );
}

function NewPasskey() {
  const queries = useQueryClient();
  const adding = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      // A name that the service refuses would leave a passkey on the device.
      const name = String(new FormData(form).get('name')).trim() || thisBrowser;
      await addPasskey(name);
      return name;
    },
    onSuccess: async (name, form) => {
      form.reset();
      say(`The passkey ${name} was added`, ['You can sign in with it from now on.']);
      await queries.invalidateQueries(passkeysQuery);
    },
  });
  const { error, isPending } = adding;
  const { fields, rest } = fieldErrors(error, ['name']);
  return (
    <Form button="Add a passkey" submit={adding.mutate} {...{ isPending, error, rest }}>
      <TextInput
        label="Name"
        description="Such as the name of the device that keeps it"
        name="name"
        autoComplete="off"
        defaultValue={thisBrowser}
        maxLength={100}
        error={fields.name}
      />
      <Text size="sm" c="dimmed">
        A passkey signs you in without a password, by what unlocks your phone, your computer or your
        security key.
      </Text>
    </Form>
  );
}
