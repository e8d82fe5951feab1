import { createHash } from 'node:crypto';
import type pg from 'pg';
import { escapeLiteral } from 'pg';
import { plannedByValues } from '../db/prepared/statement-names.ts';

/** A node of a plan, as `explain (analyze, format json)` shows it (PostgreSQL's documentation, "EXPLAIN"). */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

export interface Statement {
  text: string;
  values: unknown[];
}

/** Records every statement that is run on a connection of the pool from now on. */
export function recordStatements(pool: pg.Pool): Statement[] {
  const recorded: Statement[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((first: string | Statement, ...rest: unknown[]) => {
      if (typeof first === 'object')
        recorded.push({ text: first.text, values: first.values ?? [] });
      return query(first, ...rest);
    }) as typeof client.query;
  });
  return recorded;
}

const explain = 'explain (analyze, timing off, format json)';

/** All nodes of the plan of a statement of the service. */
export async function planOf(client: pg.Client, { text, values }: Statement): Promise<PlanNode[]> {
  const { rows } = text.includes(plannedByValues)
    ? await client.query(`${explain} ${text}`, values)
    : await client.query(`${explain} ${await prepared(client, { text, values })}`);
  const [{ Plan: root }] = rows[0]['QUERY PLAN'];
  return nodesOf(root);
}

/** PostgreSQL may use a generic plan for a prepared statement after so many executions. */
const executionsBefore = 6;

/** Returns a function that runs a statement by its plan after a few executions. */
async function prepared(client: pg.Client, { text, values }: Statement): Promise<string> {
  const name = `explained_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  for (let at = 0; at < executionsBefore; at += 1) await client.query({ name, text, values });
  const given = values.map(literal).join(', ');
  return `execute ${name}${given && `(${given})`}`;
}

const literal = (value: unknown) => (value === null ? 'null' : escapeLiteral(textOf(value)));

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join()}}` : `${value}`;
}

/** A node of a plan, and all those below it. */
export function nodesOf<N extends { Plans?: N[] }>(node: N): N[] {
  return [node, ...(node.Plans ?? []).flatMap((one) => nodesOf(one))];
}

/** The number of rows that were read, including those that did not match. */
export function rowsRead(node: PlanNode): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + removed) * node['Actual Loops'];
}
