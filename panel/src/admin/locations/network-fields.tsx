import {
  Checkbox,
  Fieldset,
  NativeSelect,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { trafficText } from '../traffic.ts';
import type { FieldsProps } from './fields.tsx';
import { countedWords, policyWords } from './form.ts';

const choices = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

/** How much traffic new servers have, and what happens beyond. */
export function TrafficFields({ location, fields }: FieldsProps) {
  return (
    <Fieldset legend="Traffic">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="Traffic a month"
          description="Of new servers, such as 500G or 2T. An empty field is no limit."
          name="traffic_allowance"
          autoComplete="off"
          defaultValue={trafficText(location.traffic_allowance)}
          error={fields.traffic_allowance}
        />
        <NativeSelect
          label="What counts"
          description="Towards the traffic of a month"
          name="traffic_counted"
          defaultValue={location.traffic_counted}
          data={choices(countedWords)}
          error={fields.traffic_counted}
        />
        <NativeSelect
          label="When it is used up"
          name="traffic_policy"
          defaultValue={location.traffic_policy}
          data={choices(policyWords)}
          error={fields.traffic_policy}
        />
        <TextInput
          label="Throttled to, in Mbit/s"
          name="traffic_throttle"
          inputMode="numeric"
          autoComplete="off"
          defaultValue={location.traffic_throttle ?? ''}
          error={fields.traffic_throttle}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

/** What servers reach, and whose instances can be adopted. */
export function NetworkFields({ location, fields }: FieldsProps) {
  return (
    <Fieldset legend="Network">
      <Stack gap="sm">
        <Textarea
          label="Private networks that servers reach"
          description="One a line, such as 10.20.0.0/16"
          name="allowed_destinations"
          autoComplete="off"
          spellCheck={false}
          rows={3}
          defaultValue={location.allowed_destinations.join('\n')}
          error={fields.allowed_destinations}
        />
        <Checkbox
          label="Servers can send mail to port 25"
          name="smtp"
          defaultChecked={location.smtp === 'open'}
          error={fields.smtp}
        />
        <TextInput
          label="Incus projects to adopt from"
          description="Separated by commas, such as default"
          name="adopt_from"
          autoComplete="off"
          defaultValue={(location.adopt_from ?? []).join(', ')}
          error={fields.adopt_from}
        />
      </Stack>
    </Fieldset>
  );
}
