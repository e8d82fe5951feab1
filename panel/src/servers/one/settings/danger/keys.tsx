import { Checkbox, Stack } from '@mantine/core';

interface KeysProps {
  keys: readonly { id: number; name: string }[];
  /** Their IDs as text. */
  chosen: string[];
  choose: (chosen: string[]) => void;
  error: string | undefined;
}

/** The SSH keys of the project that log in as root. */
export function Keys({ keys, chosen, choose, error }: KeysProps) {
  return (
    <Checkbox.Group
      label="SSH keys"
      description={keys.length === 0 ? 'The project has none.' : undefined}
      value={chosen}
      onChange={choose}
      error={error}
    >
      <Stack gap="xs" mt="xs" mah={200} className="scrolls">
        {keys.map(({ id, name }) => (
          <Checkbox key={id} value={String(id)} label={name} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
