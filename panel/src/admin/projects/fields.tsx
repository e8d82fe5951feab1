import { Checkbox, SimpleGrid, Text, TextInput } from '@mantine/core';
import { fieldErrorsIn } from '../forms.ts';
import { limits, type names } from './form.ts';
import type { Project } from './queries.ts';

interface FieldsProps {
  /** What it is like so far. */
  project?: Project;
  fields: Partial<Record<(typeof names)[number], string>>;
  error: unknown;
}

/** The fields of a project, each with what is wrong with it. */
export function ProjectFields({ project, fields, error }: FieldsProps) {
  const wrong = fieldErrorsIn(error, 'quota');
  return (
    <>
      <TextInput
        label="Name"
        name="name"
        autoComplete="off"
        defaultValue={project?.name}
        error={fields.name}
      />
      <TextInput
        label="Description"
        name="description"
        autoComplete="off"
        defaultValue={project?.description}
        error={fields.description}
      />
      <Checkbox
        label="Names of servers are unique"
        name="unique_names"
        defaultChecked={project?.unique_names ?? true}
        error={fields.unique_names}
      />
      <Checkbox
        label="Servers can only have the sizes of the installation"
        name="sizes_only"
        defaultChecked={project?.sizes_only ?? false}
        error={fields.sizes_only}
      />
      <Text size="sm" c="dimmed">
        The most that all servers of the project can have together. An empty field is no limit.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }}>
        {limits.map(({ name, label }) => (
          <TextInput
            key={name}
            label={label}
            name={name}
            inputMode="numeric"
            autoComplete="off"
            placeholder="No limit"
            defaultValue={project ? (project.quota[name] ?? '') : name === 'outputs' ? 16 : ''}
            error={wrong[name]}
          />
        ))}
      </SimpleGrid>
      {fields.quota && Object.keys(wrong).length === 0 && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {fields.quota}
        </Text>
      )}
    </>
  );
}
