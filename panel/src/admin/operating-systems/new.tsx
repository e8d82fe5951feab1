import { SimpleGrid, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { Form } from '../../shell/form.tsx';
import { Page } from '../../shell/page.tsx';
import { fieldErrorsIn } from '../forms.ts';
import { bodyOf, names } from './form.ts';

export function NewSystemPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const adding = useMutation({
    mutationFn: async (form: FormData) =>
      (await berth.POST('/v1/operating-systems', { body: bodyOf(form) })).data,
    onSuccess: async ({ id, name, version }) => {
      await queries.invalidateQueries({ queryKey: ['operating-systems'] });
      await navigate({ to: '/admin/operating-systems/$id', params: { id: String(id) } });
      say(`${name} ${version} was added`, [
        'Its image is downloaded when a server first needs it.',
      ]);
    },
  });
  const { error, isPending } = adding;
  const { fields, rest } = fieldErrors(error, names, { name_taken: 'slug' });
  const source = fieldErrorsIn(error, 'source');
  const minimum = fieldErrorsIn(error, 'minimum');
  return (
    <Page title="Add an operating system">
      <Form
        button="Add the operating system"
        submit={(form) => adding.mutate(new FormData(form))}
        {...{ isPending, error, rest }}
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput label="Name" name="name" autoComplete="off" error={fields.name} />
          <TextInput label="Version" name="version" autoComplete="off" error={fields.version} />
          <TextInput label="Slug" name="slug" autoComplete="off" error={fields.slug} />
        </SimpleGrid>
        <TextInput
          label="Image server"
          description="One that the settings of the service allow"
          name="server"
          autoComplete="off"
          defaultValue="https://images.linuxcontainers.org"
          error={source.server ?? fields.source}
        />
        <TextInput
          label="Alias of the image"
          description="With cloud-init, such as fedora/43/cloud"
          name="alias"
          autoComplete="off"
          error={source.alias}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label="Least memory, in MiB"
            name="ram"
            inputMode="numeric"
            autoComplete="off"
            error={minimum.ram}
          />
          <TextInput
            label="Least disk, in GiB"
            name="disk"
            inputMode="numeric"
            autoComplete="off"
            error={minimum.disk}
          />
        </SimpleGrid>
      </Form>
    </Page>
  );
}
