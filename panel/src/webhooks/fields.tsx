import { Checkbox, Code, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { typeWords } from '../events/type-words.ts';
import { projectTypes } from '../events/types.ts';
import type { names } from './form.ts';
import type { Webhook } from './webhooks.ts';

interface FieldsProps {
  /** What is changed, if it exists. */
  webhook?: Webhook;
  errors: Partial<Record<(typeof names)[number], string>>;
}

/** The fields of a webhook. */
export function Fields({ webhook, errors }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        description="Such as the name of the program that receives the events"
        name="name"
        autoComplete="off"
        defaultValue={webhook?.name}
        error={errors.name}
      />
      <TextInput
        label="URL"
        description="Where events are sent by POST: https, and on the Internet"
        placeholder="https://hooks.example.com/berth"
        name="url"
        type="url"
        autoComplete="off"
        defaultValue={webhook?.url}
        error={errors.url}
      />
      <Types chosen={webhook?.types ?? []} error={errors.types} />
      <TextInput
        label="Labels"
        description="Only events of servers with these labels; all if it is empty"
        placeholder="env=prod,team!=web"
        name="label_selector"
        autoComplete="off"
        defaultValue={webhook?.label_selector}
        error={errors.label_selector}
      />
      <Textarea
        label="Headers"
        description={aboutHeaders(webhook)}
        placeholder="Authorization: Bearer 5f2a"
        name="headers"
        autoComplete="off"
        spellCheck={false}
        autosize
        minRows={2}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={errors.headers}
      />
      {webhook && webhook.header_names.length > 0 && (
        <Checkbox name="remove_headers" label="Remove all headers" />
      )}
    </>
  );
}

function aboutHeaders(webhook: Webhook | undefined): string {
  const usual =
    'What the receiver expects besides the signature, one per line. They are not shown again.';
  const [first, ...others] = webhook?.header_names ?? [];
  if (!first) return usual;
  return `Those that you enter replace ${[first, ...others].join(', ')}. They are not shown again.`;
}

function Types({ chosen, error }: { chosen: Webhook['types']; error: string | undefined }) {
  const [which, setWhich] = useState(chosen.length > 0 ? 'some' : 'all');
  return (
    <>
      <Radio.Group label="Events" name="which" value={which} onChange={setWhich}>
        <Stack gap="xs" mt="xs">
          <Radio value="all" label="All events, also of types that later releases add" />
          <Radio value="some" label="Only events of some types" />
        </Stack>
      </Radio.Group>
      {which === 'some' && (
        <Checkbox.Group label="Types" defaultValue={chosen} error={error}>
          <Stack gap="xs" mt="xs">
            {projectTypes.map((type) => (
              <Checkbox
                key={type}
                name="types"
                value={type}
                label={
                  <>
                    {typeWords[type].name} <Code>{type}</Code>
                  </>
                }
                description={typeWords[type].when.replaceAll('`', '')}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  );
}
