import { Code, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../api/berth.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { say } from '../servers/actions/toasts.tsx';
import { Form } from '../shell/form.tsx';
import { Page } from '../shell/page.tsx';
import { keysQuery } from './queries.ts';

const names = ['name', 'public_key'] as const;
const codes = { name_taken: 'name', ssh_key_exists: 'public_key' } as const;

export function NewSshKeyPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const adding = useMutation({
    mutationFn: async (form: FormData) => {
      const [name, public_key] = names.map((field) => String(form.get(field)).trim());
      const body = { name: name ?? '', public_key: public_key ?? '' };
      return (await berth.POST('/v1/ssh-keys', { body })).data;
    },
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries(keysQuery);
      await navigate({ to: '/ssh-keys' });
      say(`The SSH key ${name} was added`, []);
    },
  });
  const { error, isPending } = adding;
  const { fields, rest } = fieldErrors(error, names, codes);
  return (
    <Page title="Add an SSH key">
      <Form
        button="Add the key"
        submit={(form) => adding.mutate(new FormData(form))}
        {...{ isPending, error, rest }}
      >
        <TextInput
          label="Name"
          description="Such as the name of the computer that the key is on"
          name="name"
          autoComplete="off"
          error={fields.name}
          data-autofocus
        />
        <Textarea
          label="Public key"
          description="The content of a file like ~/.ssh/id_ed25519.pub"
          name="public_key"
          autoComplete="off"
          spellCheck={false}
          rows={5}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          error={fields.public_key}
        />
        <Text size="sm" c="dimmed">
          If you have no key, <Code>ssh-keygen -t ed25519</Code> makes one. Never paste a private
          key, which begins with <Code>-----BEGIN</Code>.
        </Text>
      </Form>
    </Page>
  );
}
