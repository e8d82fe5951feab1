import { once } from 'node:events';
import { EngineError } from '../service/src/incus/transport/errors.ts';
import type { OperationKind, StepResult } from '../service/src/operations/define.ts';
import type { OperationRow } from '../service/src/operations/queries.ts';
import type { ServerStepContext } from '../service/src/servers/define-operation.ts';
import type { Laboratory } from './laboratory.ts';
import { endIn, loseLease } from './operations.ts';

type Run = () => Promise<StepResult<unknown>>;
type Context = { operation: OperationRow } & Pick<ServerStepContext<unknown>, 'signal'>;

/** A fault that hits a step. `times` counts the runs of the step, from 1. */
export type Trouble = (run: Run, context: Context, times: number) => Promise<StepResult<unknown>>;

/** A fault, and the step that has it. */
export interface Plan {
  step: string;
  trouble: Trouble;
  times: number;
}

/** Which steps had which faults, compared with the steps of each kind, so that an untested step is found. */
export function meetings(kinds: readonly OperationKind[], troubles: readonly string[]) {
  const met = new Set<string>();
  const wanted = kinds.flatMap(({ kind, steps }) =>
    Object.keys(steps).flatMap((step) => troubles.map((words) => `${kind}: ${step} ${words}`)),
  );
  return {
    note: (kind: string, step: string, words: string) => void met.add(`${kind}: ${step} ${words}`),
    missing: () => wanted.filter((meeting) => !met.has(meeting)),
    count: wanted.length,
  };
}

/** The error of faults that end an operation. Messages quote it unchanged, because it has no article and no full stop. */
export const stays = 'Permanent error';

const passing = () => new EngineError('failed', 'A temporary error.');

/** Faults that an operation survives, and those that end it. */
export function troublesOf(laboratory: () => Laboratory) {
  const troubles: Record<string, Trouble> = {
    'is run twice': async (run, _, times) => {
      const result = await run();
      return times === 1 ? await run() : result;
    },
    'fails once before its effect': async (run, _, times) => {
      if (times === 1) throw passing();
      return await run();
    },
    'fails once after its effect': async (run, _, times) => {
      const result = await run();
      if (times === 1) throw passing();
      return result;
    },
    'loses its worker before its effect': async (run, context, times) => {
      if (times === 1) await die(context);
      return await run();
    },
    'loses its worker after its effect': async (run, context, times) => {
      const result = await run();
      if (times === 1) await die(context);
      return result;
    },
    'has a worker that continues after another one has taken over': async (run, context, times) => {
      // The other worker has the lease by now, and both run the step.
      if (times === 1) await loseLease(laboratory(), context.operation.id);
      return await run();
    },
  };

  const fatal: Record<string, Trouble> = {
    'fails permanently': async () => {
      throw new EngineError('invalid', stays);
    },
    'fails permanently after its effect': async (run) => {
      await run();
      throw new EngineError('invalid', stays);
    },
    'fails until its deadline': async (_, { operation }) => {
      await endIn(laboratory(), operation.id, 1);
      throw new EngineError('failed', stays);
    },
    'fails until its deadline after its effect': async (run, { operation }) => {
      await run();
      await endIn(laboratory(), operation.id, 1);
      throw new EngineError('failed', stays);
    },
  };

  /**
   * Ends the lease, so that another worker takes over, and this one notices it at its next renewal.
   */
  async function die({ operation, signal }: Context): Promise<never> {
    await loseLease(laboratory(), operation.id);
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  }

  return { troubles, fatal };
}
