import { Checkbox, NativeSelect, Stack } from '@mantine/core';
import { lifetimes, usualDays } from './form.ts';
import { type Scope, scopeWords } from './scopes.ts';

interface ScopesProps {
  /** Those that this person may give. */
  scopes: readonly Scope[];
  /** Those that are chosen at first. */
  chosen: readonly Scope[];
  error: string | undefined;
}

/** What a token allows. */
export function ScopesField({ scopes, chosen, error }: ScopesProps) {
  return (
    <Checkbox.Group label="What it allows to" defaultValue={[...chosen]} error={error}>
      <Stack gap="xs" mt="xs">
        {scopes.map((scope) => (
          <Checkbox
            key={scope}
            name="scopes"
            value={scope}
            label={scopeWords[scope].name}
            description={scopeWords[scope].explanation}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** When a token expires. */
export function ExpiryField({ error }: { error: string | undefined }) {
  return (
    <NativeSelect
      label="Expires"
      name="expires_at"
      defaultValue={usualDays}
      data={lifetimes.map(({ days, name }) => ({ value: String(days), label: name }))}
      error={error}
    />
  );
}
