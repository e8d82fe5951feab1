import { uuidOf } from './metering-fleet.ts';

/** Each of these with each of its filters and orders, one at a time. */
const lists = (id: number): Record<string, string[]> => ({
  servers: [
    ...['', 'sort=-id', 'sort=hostname', 'sort=-created_at', 'all_projects=true', 'project_id=1'],
    ...['status=started', 'location_id=1', 'os_id=1', 'group=web', `node=1`, lastDay()],
    ...['q=ben', `hostname=bench-${uuidOf(1)}`, 'ip=10.0.0.7', 'label_selector=env=prod,!old'],
  ],
  operations: [
    ...['', 'sort=-id', 'sort=-id&all_projects=true', 'sort=-id&project_id=1', lastDay()],
    ...[`server_id=${id}`, 'status=failed', 'status=running', 'kind=restart'],
    'sort=-id&label_selector=env=prod,!old',
  ],
  events: [
    ...['', 'after=50000', 'project_id=1', 'type=server.failed', `server_id=${id}`],
    'label_selector=env=prod,!old',
  ],
  audit: [
    ...['sort=-id', 'project_id=1', 'action=token_create', 'status=403', lastDay()],
    ...['token_id=1', 'user_id=1', 'address=192.0.2.1', 'request_id=request-77'],
    `target_kind=server&target_id=${id}`,
  ],
  drift: ['', `server_id=${id}`, 'kind=changed', 'location_id=1', 'q=srv', 'forgotten=true'],
  nodes: ['', 'location_id=1', 'status=online', 'q=node-1'],
  locations: ['', 'enabled=true'],
  'operating-systems': ['', 'architecture=x86_64'],
  ...{ projects: ['', 'q=cust'], tokens: [''], 'ssh-keys': [''], sizes: [''], users: [''] },
  ...{ 'address-pools': ['', 'location_id=1'], webhooks: [''], 'projects/default/members': [''] },
});

const lastDay = () => `from=${new Date(Date.now() - 86_400_000).toISOString()}`;

interface Read {
  /** Of a server of the fleet, from 0. */
  number: number;
  operationId: number;
  webhookId: number;
}

/** The lists and objects that are read in each round. */
export function reads({ number, operationId, webhookId }: Read): string[] {
  const id = number + 1;
  return [
    ...['', '/status', '/usage', `/usage?${lastDay()}`, '/traffic'].map(
      (part) => `/v1/servers/${id}${part}`,
    ),
    `/v1/servers/${uuidOf(number)}`,
    ...Object.entries(lists(id)).flatMap(([list, filters]) =>
      filters.map((filter) => `/v1/${list}?limit=100&${filter}`),
    ),
    `/v1/operations/${operationId}`,
    ...['/v1/locations/1', '/v1/nodes/node-1?location_id=1'],
    ...['/v1/operating-systems/1', '/v1/operating-systems/1/images'],
    ...['/v1/projects/default', '/v1/projects/default/quota', '/v1/tokens/1', '/v1/whoami'],
    `/v1/webhooks/${webhookId}`,
    `/v1/webhooks/${webhookId}/deliveries?limit=100&sort=-id`,
  ];
}

/** Those that are read once, because they are of all servers or of the whole log. */
export const readsOfAll = [
  '/metrics',
  '/v1/projects/default/statement',
  '/v1/projects/default/statement.csv',
  '/v1/projects/customer-1/statement',
  '/v1/audit/export',
  '/v1/audit/export?action=token_create',
];
