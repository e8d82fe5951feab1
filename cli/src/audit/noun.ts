import { items } from '@berth/client';
import { Command, type OptionValues } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { columnsOf, referring } from '../output/columns.ts';
import { colouredStatus } from '../output/style.ts';
import { age, utc } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { choice, collected, defined, pastTime } from '../verbs/options.ts';

const columns = columnsOf<Schemas['AuditEntry']>(
  {
    id: (entry) => entry.id,
    at: { of: (entry) => entry.at, text: ({ last_at }) => utc(last_at) },
    action: (entry) => entry.action,
    target: ({ target }) => (target === null ? null : `${target.kind} ${target.id}`),
    status: {
      of: (entry) => entry.status,
      text: ({ status }, style) =>
        style(status < 400 ? 'green' : 'red', colouredStatus(String(status), style)),
    },
    code: (entry) => entry.code,
    user_id: (entry) => entry.user_id,
    token_id: (entry) => entry.token_id,
    project_id: referring('project', (entry) => entry.project_id),
    source: (entry) => entry.source,
    address: (entry) => entry.address,
    count: (entry) => entry.count,
    request_id: (entry) => entry.request_id,
    details: ({ details }) => (details === null ? null : JSON.stringify(details)),
    age: { of: (entry) => entry.at, text: ({ last_at }) => age(last_at) },
  },
  ['id', 'at', 'count', 'action', 'target', 'status', 'code', 'user_id', 'token_id', 'address'],
  ({ id }) => String(id),
);

const kinds = [
  ...(['project', 'token', 'ssh_key', 'user', 'server', 'location', 'node'] as const),
  ...(['operating_system', 'address_pool'] as const),
];

const filters = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option('--action <action>', 'only this action, such as server_delete', collected)
    .addOption(choice('--kind <kind>', 'only entries about objects of this kind', kinds))
    .option('--target <target>', 'only entries about this object; it needs --kind', collected)
    .option('--user <user>', 'only requests of this user', collected)
    .option('--token <token>', 'only requests with this token', collected)
    .option('--status <number>', 'only this HTTP status', collected)
    .option('--address <address>', 'only requests from this IP address', collected)
    .option('--request <id>', 'only the request with this ID', collected)
    .option('--in-project <project>', 'only the history of this project', collected)
    .option('--after <time>', 'only entries since: 1h, 7d, 2026-11-27', pastTime)
    .option('--before <time>', 'only entries before', pastTime);

interface Filters {
  action?: string[];
  kind?: (typeof kinds)[number];
  target?: string[];
  user?: string[];
  token?: string[];
  status?: string[];
  address?: string[];
  request?: string[];
  inProject?: string[];
  after?: string;
  before?: string;
}

const queryOf = ({ action, kind, target, user, token, status, address, ...more }: Filters) =>
  defined({
    action: action as never,
    target_kind: kind && [kind],
    ...{ target_id: target, user_id: user, token_id: token, address },
    status: status?.map(Number),
    ...{ request_id: more.request, project_id: more.inProject },
    ...{ from: more.after, to: more.before },
  });

const list = listVerb({
  summary: 'List entries of the audit log, the newest first',
  columns,
  options: filters,
  rows: (berth, { pageSize, ...given }) => {
    const query = { ...queryOf(given as Filters), limit: pageSize, sort: '-id' as const };
    return items(berth, '/v1/audit', { params: { query } });
  },
});

const exportLog = (cli: Cli) =>
  filters(new Command('export'))
    .summary('Print the audit log, the oldest first, as lines of JSON')
    .description('Print the audit log, the oldest first, as lines of JSON (NDJSON).')
    .action(async (given) => {
      const query = queryOf(given as Filters);
      const path = '/v1/audit/export';
      const { data } = await cli.berth().GET(path, { params: { query }, parseAs: 'stream' });
      const { pipeline } = await import('node:stream/promises');
      await pipeline(data as unknown as ReadableStream, cli.io.stdout, { end: false });
    });

export const audit = noun('audit', 'See who has changed what.', [list, exportLog]);
