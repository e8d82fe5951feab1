import { Checkbox, TextInput } from '@mantine/core';
import type { names } from './form.ts';
import type { User } from './queries.ts';

interface FieldsProps {
  /** What they are like so far. */
  user?: User;
  fields: Partial<Record<(typeof names)[number], string>>;
}

/** The fields of a user, each with what is wrong with it. */
export function UserFields({ user, fields }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Email address"
        description="With which they sign in"
        name="email"
        type="email"
        autoComplete="off"
        defaultValue={user?.email}
        error={fields.email}
      />
      <TextInput
        label="Name"
        {...(!user && { placeholder: 'What is before the @' })}
        name="name"
        autoComplete="off"
        defaultValue={user?.name}
        error={fields.name}
      />
      <Checkbox
        label="Administrator, who may do everything in all projects"
        name="is_admin"
        defaultChecked={user?.is_admin ?? false}
        error={fields.is_admin}
      />
    </>
  );
}
