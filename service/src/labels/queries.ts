import { type ColumnType, type GeneratedAlways, type RawBuilder, sql } from 'kysely';
import { arrayOf } from '../db/arrays.ts';
import { planned } from '../db/filters.ts';
import type { Project, ProjectRows } from '../db/project.ts';
import type { Requirement, Selector } from './selector.ts';

export type Labels = Record<string, string>;

/** The labels of some servers. Null stands for any value, and in place of all labels for any labels. */
type Summary = Record<string, string | null> | null;

interface LabelSetsTable {
  id: GeneratedAlways<number>;
  project_id: number;
  summary: ColumnType<Summary, string | null, string | null>;
}

declare module '../db/schema/schema.ts' {
  interface Database {
    label_sets: LabelSetsTable;
  }
}

/** When to leave out values, so that a project has few sets however its labels vary. */
export interface SummaryLimits {
  /** The number of values of a key from which on others are left out. */
  values: number;
  /** The number of sets from which on all values are left out, and of twice as many, the keys as well. */
  sets: number;
}

const usualLimits: SummaryLimits = { values: 30, sets: 500 };
/** More than a project has. Administrators may ask for the sets of several projects. */
const mostSets = 1100;

/**
 * The set of servers with these labels, which is created if there is none. It is not removed before the transaction
 * ends, or while a server refers to it. Null without labels.
 */
export async function labelSetFor(
  project: Project,
  labels: Labels,
  limits = usualLimits,
): Promise<number | null> {
  if (Object.keys(labels).length === 0) return null;
  const same = await holdLabelSet(project, labels);
  if (same !== undefined) return same;
  const summary = await summaryOf(project, labels, limits);
  return (await holdLabelSet(project, summary)) ?? (await insertLabelSet(project, summary));
}

const hash = sql`sha256(coalesce(summary, 'null')::text::bytea)`;

async function holdLabelSet(project: Project, summary: Summary): Promise<number | undefined> {
  const row = await project
    .select('label_sets')
    .select('id')
    .where(sql<boolean>`${hash} = sha256(${JSON.stringify(summary)}::jsonb::text::bytea)`)
    .forKeyShare()
    .executeTakeFirst();
  return row?.id;
}

/** Another request may have inserted the same one meanwhile, which is held, too. */
async function insertLabelSet(project: Project, summary: Summary): Promise<number> {
  const { id } = await project
    .insert('label_sets', { summary: summary && JSON.stringify(summary) })
    .onConflict((conflict) =>
      conflict
        .expression(sql`project_id, ${hash}`)
        .doUpdateSet({ summary: (eb) => eb.ref('excluded.summary') }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Leaves out the values of keys that have many, and of all keys if the project has many sets. */
async function summaryOf(
  project: Project,
  labels: Labels,
  limits: SummaryLimits,
): Promise<Summary> {
  const text = JSON.stringify(labels);
  const { sets } = await project
    .select('label_sets')
    .select(sql<number>`count(*)`.as('sets'))
    .executeTakeFirstOrThrow();
  if (sets >= 2 * limits.sets) return null;
  const used = await project
    .select('label_sets')
    .innerJoin(
      sql<{ key: string; value: string | null }>`lateral (
        select key, value from jsonb_each_text(summary) where ${text}::jsonb ? key)`.as('used'),
      (join) => join.onTrue(),
    )
    .select('used.key')
    .select(sql<number>`count(distinct used.value)`.as('values'))
    .select(
      sql<boolean>`coalesce(bool_or(used.value = ${text}::jsonb ->> used.key), false)`.as('isUsed'),
    )
    .groupBy('used.key')
    .execute();
  const varied = used.filter(({ values, isUsed }) => values >= limits.values && !isUsed);
  const left = new Set(varied.map(({ key }) => key));
  const isLeft = (key: string) => sets >= limits.sets || left.has(key);
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [key, isLeft(key) ? null : value]),
  );
}

/** What a selector selects: servers without labels or not, those of some sets, and perhaps some of other sets. */
export interface Selected {
  selector: Selector;
  /** Undefined if there are too many sets. */
  sets: { none: boolean; sure: number[]; unsure: number[] } | undefined;
}

/** Applies a selector to the sets of projects. */
export async function selectLabels(rows: ProjectRows, selector: Selector): Promise<Selected> {
  const found = await rows
    .select('label_sets')
    .select('id')
    .select(sql<boolean | null>`${areMet('summary', selector)}`.as('isSure'))
    .where(sql<boolean>`${planned} (${areMet('summary', selector)}) is not false`)
    .limit(mostSets)
    .execute();
  if (found.length === mostSets) return { selector, sets: undefined };
  const idsOf = (isSure: boolean) =>
    found.filter((set) => (set.isSure === true) === isSure).map(({ id }) => id);
  const none = selector.every(isMetByNone);
  return { selector, sets: { none, sure: idsOf(true), unsure: idsOf(false) } };
}

/** Matches the rows of a table with `labels` and `label_set_id` that are selected in its projects. */
export function isSelected(table: string, { selector, sets }: Selected) {
  const isExact = areMet(`${table}.labels`, selector, { isWhole: true });
  if (!sets) return sql<boolean>`${planned} (${isExact})`;
  const { none, sure, unsure } = sets;
  const certain = [...(none ? [noSet] : []), ...sure];
  const ways = [
    ...(certain.length > 0 ? [isAmong(table, certain)] : []),
    ...(unsure.length > 0 ? [sql`(${isAmong(table, unsure)} and ${isExact})`] : []),
  ];
  if (ways.length === 0) return sql<boolean>`false`;
  return sql<boolean>`${planned} (${sql.join(ways, sql` or `)})`;
}

/** In the place of the id of a set for servers without labels. Indexes have exactly this expression. */
const noSet = 0;

/** Compares a single id directly, so that the index also provides the order. */
function isAmong(table: string, [id, ...others]: number[]) {
  const set = sql`coalesce(${sql.ref(`${table}.label_set_id`)}, ${sql.lit(noSet)})`;
  return others.length > 0
    ? sql`${set} = any(${arrayOf([id, ...others])}::bigint[])`
    : sql`${set} = ${id}`;
}

const isMetByNone = ({ operator }: Requirement) => operator === 'notin' || operator === 'absent';

/**
 * Whether labels satisfy a selector. It is null if that depends on a value that a summary leaves out. For whole labels,
 * an index finds those that have one.
 */
export function areMet(column: string, selector: Selector, { isWhole = false } = {}) {
  const labels = sql.ref(column);
  const isFound = isWhole && !selector.every(isMetByNone) ? sql`${labels} <> '{}'` : sql`true`;
  return selector.reduce((all, one) => sql`${all} and ${isMet(labels, one, isWhole)}`, isFound);
}

function isMet(labels: RawBuilder<unknown>, requirement: Requirement, isWhole: boolean) {
  const { key, operator } = requirement;
  const has = sql`${labels} ? ${key}::text`;
  const value = sql`${labels} ->> ${key}::text`;
  switch (operator) {
    case 'exists':
      return has;
    case 'absent':
      return sql`not ${has}`;
    case 'in':
      return hasValue(requirement.values);
    case 'notin':
      return sql`not ${hasValue(requirement.values)}`;
    case 'above':
      return sql`(${has} and ${compared(sql`> ${requirement.number}::numeric`)})`;
    case 'below':
      return sql`(${has} and ${compared(sql`< ${requirement.number}::numeric`)})`;
  }

  function hasValue(values: string[]) {
    if (!isWhole) return sql`(${has} and ${value} = any(${values}::text[]))`;
    const pairs = values.map((one) => JSON.stringify({ [key]: one }));
    return sql`${labels} @> any(${pairs}::jsonb[])`;
  }

  function compared(with_: RawBuilder<unknown>) {
    return sql`case when ${value} ~ '^[0-9]+$' then (${value})::numeric ${with_}
      when ${value} is not null then false end`;
  }
}
