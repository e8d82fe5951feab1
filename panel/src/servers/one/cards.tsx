import { ActionIcon, Badge, Code, CopyButton, Group } from '@mantine/core';
import IconCheck from '@tabler/icons-react/icons/IconCheck';
import IconCopy from '@tabler/icons-react/icons/IconCopy';
import { useQuery } from '@tanstack/react-query';
import { locationsQuery } from '../../api/queries.ts';
import { bytes, counted, disk, memory } from '../../format/units.ts';
import type { Server } from '../../live/apply.ts';
import { Fact, Facts as FactList } from '../../shell/facts.tsx';
import { Time } from '../../shell/time.tsx';

/** A text that people need elsewhere. */
export function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Code className="breaks">{text}</Code>
      <CopyButton value={text} timeout={2000}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? `The ${what} is copied` : `Copy the ${what}`}
          >
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}

/** How to reach the server. */
export function Access({ server: { ip_addresses, ssh_keys, password_login } }: { server: Server }) {
  const [primary] = ip_addresses;
  const logins = [...ssh_keys.map(({ name }) => name), ...(password_login ? ['password'] : [])];
  return (
    <FactList>
      <Fact name={ip_addresses.length === 1 ? 'Address' : 'Addresses'}>
        {ip_addresses.length === 0 && 'none'}
        {ip_addresses.map(({ ip }) => (
          <Copyable key={ip} text={ip} what="address" />
        ))}
      </Fact>
      {primary && (
        <Fact name="SSH">
          <Copyable text={`ssh root@${primary.ip}`} what="command" />
        </Fact>
      )}
      <Fact name="Login">{logins.join(', ') || 'none'}</Fact>
    </FactList>
  );
}

/** What the server is. */
export function Facts({ server }: { server: Server }) {
  const { data: locations } = useQuery(locationsQuery);
  const location = locations?.find(({ id }) => id === server.location_id);
  const { cpu, ram, disk: size } = server.specifications;
  const { incoming, outgoing } = server.usage.traffic;
  const labels = Object.entries(server.labels);
  return (
    <FactList>
      <Fact name="Size">
        {server.size && `${server.size}: `}
        {counted(cpu, 'core')}, {memory(ram)} of memory, {disk(size)} of disk
      </Fact>
      <Fact name="System">{server.os}</Fact>
      <Fact name="Location">
        {location?.name}, on {server.node}
      </Fact>
      <Fact name="Traffic">
        {bytes(incoming.value)} in, {bytes(outgoing.value)} out this month
      </Fact>
      <Fact name="Created">
        <Time at={server.created_at} />
      </Fact>
      {labels.length > 0 && (
        <Fact name="Labels">
          <Group gap={6}>
            {labels.map(([key, value]) => (
              <Badge key={key} variant="default" tt="none" radius="sm">
                {value ? `${key}=${value}` : key}
              </Badge>
            ))}
          </Group>
        </Fact>
      )}
      {server.notes && <Fact name="Notes">{server.notes}</Fact>}
    </FactList>
  );
}
