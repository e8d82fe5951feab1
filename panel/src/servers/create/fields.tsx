import { Divider, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { locationsQuery } from '../../api/queries.ts';
import { AccessFields } from './access/access-fields.tsx';
import { ChoiceCards } from './choice-cards.tsx';
import { CommandsField } from './first-start/commands-field.tsx';
import { commandExamples } from './first-start/examples.ts';
import { UserDataField } from './first-start/user-data-field.tsx';
import type { Field, Values } from './form.ts';
import { OsLogo } from './os-logo.tsx';
import { systemsQuery } from './queries.ts';
import { SizeFields } from './sizes/size-fields.tsx';

export interface FieldsProps {
  values: Values;
  set: (changed: Partial<Values>) => void;
  errors: Partial<Record<Field, string>>;
}

interface AllFieldsProps extends FieldsProps {
  /** What is wrong with which command, by its key. */
  commandErrors: ReadonlyMap<number, string>;
}

/** The fields of a new server, each with what is wrong with it. */
export function Fields({ commandErrors, ...props }: AllFieldsProps) {
  const { values, set, errors } = props;
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: systems = [] } = useQuery(systemsQuery);
  const location = locations.find(({ id }) => String(id) === values.location_id);
  const system = systems.find(({ id }) => String(id) === values.os_id);
  return (
    <>
      <TextInput
        label="Name"
        description="The host name, such as web-1"
        autoComplete="off"
        value={values.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        error={errors.name}
        data-autofocus
      />
      <NativeSelect
        label="Location"
        data={locations
          .filter(({ enabled }) => enabled)
          .map(({ id, name, description }) => ({
            value: String(id),
            label: description ? `${name}: ${description}` : name,
          }))}
        value={values.location_id}
        onChange={({ currentTarget }) => set({ location_id: currentTarget.value })}
        error={errors.location_id}
      />
      <ChoiceCards
        label="Operating system"
        choices={systems
          .filter(({ id }) => location?.os_ids?.includes(id) ?? true)
          .map(({ id, name, version, slug }) => ({
            value: String(id),
            label: `${name} ${version}`,
            logo: <OsLogo slug={slug} name={name} />,
          }))}
        value={values.os_id}
        change={(os_id) => set({ os_id })}
        error={errors.os_id}
      />
      <SizeFields {...props} />
      <Divider label="Access" labelPosition="left" />
      <AccessFields {...props} />
      <Divider label="First start" labelPosition="left" />
      <CommandsField
        entries={values.initialCommands}
        change={(initialCommands) => set({ initialCommands })}
        errors={commandErrors}
        error={errors.initialCommands}
        examples={commandExamples(system?.slug ?? '')}
      />
      <UserDataField
        value={values.user_data}
        change={(user_data) => set({ user_data })}
        error={errors.user_data}
      />
      <Divider label="Organisation" labelPosition="left" />
      <TextInput
        label="Labels"
        description="Such as env=prod, team=web"
        autoComplete="off"
        spellCheck={false}
        value={values.labels}
        onChange={({ currentTarget }) => set({ labels: currentTarget.value })}
        error={errors.labels}
      />
    </>
  );
}
