import { TextInput } from '@mantine/core';

interface TypedNameProps {
  hostname: string;
  typed: string;
  change: (typed: string) => void;
  hasFocus?: boolean;
}

/** Proves that somebody means this server, before what cannot be undone. */
export function TypedName({ hostname, typed, change, hasFocus = false }: TypedNameProps) {
  return (
    <TextInput
      label={`Type ${hostname} to confirm`}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={typed}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      data-autofocus={hasFocus || undefined}
    />
  );
}
