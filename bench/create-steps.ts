import { query } from '../e2e/database.ts';
import type { Stack } from '../e2e/stack.ts';
import { spread } from './statistics.ts';

/** Times in milliseconds since 1970. */
interface SeenCreate {
  serverId: number;
  asked: number;
  /** The time at which the caller saw that it had ended. */
  seen: number;
  /** The time at which the guest answered by SSH. */
  answered: number;
}

/** An operation reached a step, or its end, which is null. */
interface Mark {
  serverId: number;
  step: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

export interface StepTimes {
  note(create: SeenCreate): void;
  /** Discards what was recorded so far. */
  clear(): void;
  /** Prints how long each step of the creates took. */
  report(): Promise<void>;
}

// A trigger records the steps, so that nothing has to poll them.
const table = 'create table bench_steps (operation_id integer, step text, at timestamptz)';
const noteStep = `create function bench_note_step() returns trigger language plpgsql as $$
  declare
    step text := case when new.finished_at is null then new.step end;
  begin
    if tg_op = 'INSERT' or new.step <> old.step or new.finished_at is not null then
      insert into bench_steps values (new.id, step, clock_timestamp());
    end if;
    return null;
  end $$`;
const trigger = `create trigger bench_steps after insert or update of step, finished_at on operations
  for each row execute function bench_note_step()`;
const marks = `select server_id::integer as "serverId", bench_steps.step, extract(epoch from at)::float * 1000 as at
  from bench_steps join operations on operations.id = operation_id
  where kind = 'create' order by at`;

/** Begins to measure the steps of creates. */
export async function watchSteps({ directory }: Stack): Promise<StepTimes> {
  for (const statement of [table, noteStep, trigger]) await query(directory, statement);
  const noted: SeenCreate[] = [];
  return {
    note: (create) => {
      noted.push(create);
    },
    clear: () => {
      noted.splice(0);
    },
    async report() {
      const seen = await query<Mark & Record<string, unknown>>(directory, marks);
      console.log('\nThe steps of Berth, in milliseconds');
      console.table(medians(noted.map((create) => durations(create, seen))));
    },
  };
}

/** The milliseconds of each step of a create, which may have reached a step more than once. */
export function durations(create: SeenCreate, marks: readonly Mark[]): Map<string, number> {
  const own = marks.filter(({ serverId }) => serverId === create.serverId);
  const points = [
    { step: 'POST', at: create.asked },
    ...own.map(({ step, at }) => ({ step: step ?? 'until seen', at })),
    { step: 'until SSH', at: create.seen },
  ];
  const taken = new Map<string, number>();
  for (const [index, { step, at }] of points.entries()) {
    const end = points[index + 1]?.at ?? create.answered;
    taken.set(step, (taken.get(step) ?? 0) + end - at);
  }
  return taken;
}

function medians(creates: Map<string, number>[]) {
  const steps = new Set(creates.flatMap((taken) => [...taken.keys()]));
  return Object.fromEntries(
    [...steps].map((step) => {
      const { median, least, most } = spread(creates.map((taken) => taken.get(step) ?? 0));
      return [
        step,
        { median: Math.round(median), least: Math.round(least), most: Math.round(most) },
      ];
    }),
  );
}
