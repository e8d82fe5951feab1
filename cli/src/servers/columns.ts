import { columnsOf, referring } from '../output/columns.ts';
import { colouredStatus } from '../output/style.ts';
import { age, bytes, gib, labelList, mib, moment, percent } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';

type Server = Schemas['Server'];

export const serverColumns = columnsOf<Server>(
  {
    id: (server) => server.id,
    name: (server) => server.hostname,
    status: {
      of: (server) => server.status,
      text: ({ status, suspension, unavailable }, style) => {
        const notes = [suspension && 'suspended', unavailable && 'unavailable'];
        return [colouredStatus(status, style), ...notes.filter(Boolean)].join(', ');
      },
    },
    os: (server) => server.os,
    cpu: (server) => server.specifications.cpu,
    ram: {
      of: (server) => server.specifications.ram,
      text: ({ specifications }) => mib(specifications.ram),
    },
    disk: {
      of: (server) => server.specifications.disk,
      text: ({ specifications }) => gib(specifications.disk),
    },
    size: (server) => server.size,
    ip: (server) => primaryAddress(server),
    addresses: (server) => server.ip_addresses.map(({ ip }) => ip),
    node: (server) => server.node,
    location_id: referring('location', (server) => server.location_id),
    project_id: referring('project', (server) => server.project_id),
    group: (server) => server.group,
    labels: (server) => labelList(server.labels),
    cpu_usage: {
      of: (server) => server.usage.cpu,
      text: ({ usage }) => percent(usage.cpu),
    },
    ram_usage: {
      of: (server) => server.usage.ram,
      text: ({ usage }) => mib(usage.ram),
    },
    disk_usage: {
      of: (server) => server.usage.disk,
      text: ({ usage }) => gib(usage.disk),
    },
    traffic_in: {
      of: (server) => server.usage.traffic.incoming.value,
      text: ({ usage }) => bytes(usage.traffic.incoming.value),
    },
    traffic_out: {
      of: (server) => server.usage.traffic.outgoing.value,
      text: ({ usage }) => bytes(usage.traffic.outgoing.value),
    },
    ssh_keys: (server) => server.ssh_keys.map(({ name }) => name),
    password_login: (server) => server.password_login,
    protection: ({ protection }) =>
      Object.entries(protection).flatMap(([action, isOn]) => (isOn ? [action] : [])),
    initial_commands: {
      of: ({ initial_commands }) => initial_commands.total,
      text: ({ initial_commands: { total, failed } }) =>
        failed > 0 ? `${total}, of which ${failed} failed` : String(total),
    },
    allowed_actions: (server) => server.allowed_actions,
    suspension: (server) => server.suspension?.reason,
    unavailable: (server) => server.unavailable?.reason,
    error: (server) => server.error,
    notes: (server) => server.notes,
    uuid: (server) => server.uuid,
    created_at: {
      of: (server) => server.created_at,
      text: (server) => moment(server.created_at),
    },
    age: {
      of: (server) => server.created_at,
      text: (server) => age(server.created_at),
    },
  },
  ['id', 'name', 'status', 'os', 'cpu', 'ram', 'disk', 'ip', 'node', 'age'],
  ({ hostname }) => hostname,
);

export function primaryAddress({ ip_addresses: all }: Pick<Server, 'ip_addresses'>) {
  return (all.find(({ is_primary }) => is_primary) ?? all[0])?.ip;
}
