import { Anchor, Group, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { count } from '../format/units.ts';
import { Fact, Facts } from '../shell/facts.tsx';
import { Time } from '../shell/time.tsx';
import { isKind } from './actions.ts';
import { sameCaller } from './callers.ts';
import { type Change, detailsOf } from './details.ts';
import type { Entry } from './queries.ts';
import type { AuditSearch } from './search.ts';

/** All that is known about an entry, and the way to those that are like it. */
export function EntryDetails({ entry }: { entry: Entry }) {
  const { action, details, address, address_count, request_id, status } = entry;
  const { changes, facts } = detailsOf(details);
  return (
    <Stack gap="sm" pt="xs">
      {changes.length > 0 && <Changes changes={changes} />}
      <Facts>
        {facts.map(({ name, value }) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name="Action">{action}</Fact>
        <Fact name="Status">{status}</Fact>
        {address && (
          <Fact name="Address">
            {address_count > 1 ? `${address}, the last of ${count(address_count)}` : address}
          </Fact>
        )}
        {entry.count > 1 && (
          <Fact name="Between">
            <span>
              <Time at={entry.first_at} /> and <Time at={entry.last_at} />
            </span>
          </Fact>
        )}
        {request_id && <Fact name="Request">{request_id}</Fact>}
      </Facts>
      <Alike entry={entry} />
    </Stack>
  );
}

function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <Table fz="sm" withTableBorder aria-label="What was changed" layout="fixed">
      <Table.Thead>
        <Table.Tr>
          {['Changed', 'Before', 'After'].map((heading) => (
            <Table.Th key={heading} scope="col" fz="xs" c="dimmed">
              {heading}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ name, before, after }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={600} className="breaks">
              {name}
            </Table.Th>
            <Table.Td className="breaks">{before}</Table.Td>
            <Table.Td className="breaks">{after}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Alike({ entry }: { entry: Entry }) {
  const { target } = entry;
  const who = sameCaller(entry);
  return (
    <Group gap="md">
      {who && <Only search={{ who }}>Show all by the same caller</Only>}
      {target && isKind(target.kind) && (
        <Only search={{ kind: target.kind, target: target.id }}>
          Show all about the same object
        </Only>
      )}
    </Group>
  );
}

function Only({ search, children }: { search: AuditSearch; children: string }) {
  return (
    <Anchor size="sm" renderRoot={(props) => <Link to="/audit" search={search} {...props} />}>
      <Text span inherit>
        {children}
      </Text>
    </Anchor>
  );
}
