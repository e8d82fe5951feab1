import { BerthError, ConnectionFailedError, items, type Operation } from '@berth/client';
import type { Cli } from '../cli.ts';
import { withCommands } from '../errors/commands.ts';
import { explain } from '../errors/explain.ts';
import { Reported } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { columnsOf } from '../output/columns.ts';
import { printList } from '../output/print.ts';
import { colouredStatus } from '../output/style.ts';
import { and } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { collect } from '../verbs/collect.ts';
import { confirm } from '../verbs/confirm.ts';
import { follow, type Waiting } from '../verbs/follow.ts';
import { defined } from '../verbs/options.ts';

// One request acts on all servers that a selector of labels selects. Each server accepts or refuses by itself.

export type BulkVerb = Schemas['BulkAction']['action'];

export interface BulkOptions extends Waiting {
  label?: string | undefined;
  dryRun?: boolean | undefined;
  force?: boolean | undefined;
  yes?: boolean | undefined;
}

interface Outcome {
  server_id: number;
  hostname: string | null;
  /** What a dry run and --no-wait know is only whether the server accepts. */
  outcome: 'would accept' | 'accepted' | 'refused' | Operation['status'];
  /** Only what the first response said of it, if its state could not be read. */
  operation: Operation | Schemas['OperationOutcome'] | null;
  problem: { status?: number | undefined; code: string; detail: string } | null;
}

/** Acts on the servers that are named or selected, and prints what has become of each. */
export async function actOnAll(
  cli: Cli,
  action: BulkVerb,
  servers: readonly string[],
  options: BulkOptions,
  warning: ((names: string) => string) | undefined,
): Promise<void> {
  const { label, dryRun: isDryRun = false, force, yes } = options;
  const named = await serversMeant(cli, servers, label);
  const isConfirmed = warning !== undefined && !isDryRun;
  if (isConfirmed && named.size > 0) await confirm(cli, warning(and([...named.values()])), yes);
  const ids = [...named.keys()];
  // What was confirmed are these servers. Otherwise the labels count that they have at the moment of the request.
  const which = label === undefined || isConfirmed ? { ids } : { label_selector: label };
  if (named.size === 0) return await printOutcomes(cli, []);
  const body = { action, ...which, ...defined({ force, dry_run: options.dryRun }) };
  const { data } = await cli.berth().POST('/v1/servers/actions', { body });
  const outcomes = await Promise.all(
    data.results.map((result) => outcomeOf(cli, result, named, options)),
  );
  cli.io.signal.throwIfAborted();
  await printOutcomes(cli, outcomes);
  if (data.refused > 0) cli.note(data.message);
  const [first] = outcomes.flatMap(({ problem }) => problem ?? []);
  if (first) throw new Reported(statusOf(first));
}

/** The names of the servers by their IDs: afterwards, some may not exist any more. */
async function serversMeant(
  cli: Cli,
  servers: readonly string[],
  label: string | undefined,
): Promise<Map<number, string>> {
  const berth = cli.berth();
  const found =
    label === undefined
      ? await Promise.all(
          servers.map(
            async (id) => (await berth.GET('/v1/servers/{id}', { params: { path: { id } } })).data,
          ),
        )
      : await collect(
          items(berth, '/v1/servers', { params: { query: { label_selector: label } } }),
        );
  return new Map(found.map(({ id, hostname }) => [id, hostname]));
}

async function outcomeOf(
  cli: Cli,
  { server_id: id, operation, problem }: Schemas['BulkResult'],
  names: ReadonlyMap<number, string>,
  { wait, timeout, dryRun }: BulkOptions,
): Promise<Outcome> {
  const server = { server_id: id, hostname: names.get(id) ?? null };
  if (problem) return { ...server, outcome: 'refused', operation: null, problem };
  if (dryRun || !operation) {
    return { ...server, outcome: 'would accept', operation: null, problem: null };
  }
  const failure = wait
    ? await follow(cli, operation.id, server.hostname ?? String(id), { timeout }).then(
        () => null,
        problemOf,
      )
    : null;
  const params = { path: { id: String(operation.id) } };
  try {
    const { data: now } = await cli.berth().GET('/v1/operations/{id}', { params });
    const outcome = wait ? now.status : 'accepted';
    return { ...server, outcome, operation: now, problem: failure };
  } catch (error) {
    return { ...server, outcome: 'accepted', operation, problem: failure ?? problemOf(error) };
  }
}

/** An operation that fails, or a lost connection, does not keep people from seeing what has become of the others. */
function problemOf(error: unknown): NonNullable<Outcome['problem']> {
  const explained = explain(error);
  if (!explained) throw error;
  const { code, status } =
    error instanceof BerthError ? error : { code: 'wait_timeout', status: undefined };
  return { ...(status !== undefined && { status }), code, detail: explained.message };
}

function statusOf({ status, code, detail }: NonNullable<Outcome['problem']>): number {
  if (code === 'wait_timeout') return exitStatuses.timeout;
  const Class = code === 'connection_failed' ? ConnectionFailedError : BerthError;
  const explained = explain(new Class(code, detail, { status }));
  return explained?.status ?? exitStatuses.failed;
}

const printOutcomes = (cli: Cli, outcomes: readonly Outcome[]) => printList(cli, columns, outcomes);

const detailOf = ({ problem, operation }: Outcome) =>
  problem?.detail ?? (operation && 'message' in operation ? operation.message : undefined);

const columns = columnsOf<Outcome>(
  {
    id: ({ server_id }) => server_id,
    name: ({ hostname }) => hostname,
    outcome: {
      of: ({ outcome }) => outcome,
      text: ({ outcome }, style) => colouredStatus(outcome, style),
    },
    operation: ({ operation }) => operation?.id,
    code: ({ problem }) => problem?.code,
    detail: {
      of: detailOf,
      text: (outcome) => withCommands(detailOf(outcome) ?? '-'),
    },
  },
  ['id', 'name', 'outcome', 'operation', 'detail'],
  ({ hostname, server_id }) => hostname ?? String(server_id),
);
