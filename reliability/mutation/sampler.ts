import type { StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import type {
  DryRunCompletedEvent,
  MutationTestingPlanReadyEvent,
  Reporter,
} from '@stryker-mutator/api/report';
import { createRandom } from '../../service/src/testing/random.ts';

// Selects the mutants that are run, and the order of their tests. It is a reporter, because StrykerJS shows its plan to
// reporters, and does not run what they remove from it.

/** A sample of all changes, determined by a seed. */
export interface Sample {
  count: number;
  seed: number;
}

/** The part of a plan of StrykerJS that matters here. */
export interface Plan {
  mutant: { status?: string };
  runOptions?: { testFilter?: string[] };
}

/** Leaves a sample of the plans, each with its tests in the order of their `durations` (ms), fastest first. */
export function choose(plans: Plan[], { count, seed }: Sample, durations: Map<string, number>) {
  const tried = plans.filter(({ mutant }) => mutant.status !== 'Ignored');
  plans.splice(0, plans.length, ...createRandom(seed).shuffled(tried).slice(0, count));
  const duration = (test: string) => durations.get(test) ?? 0;
  for (const { runOptions } of plans) {
    runOptions?.testFilter?.sort((one, other) => duration(one) - duration(other));
  }
}

class Sampler implements Reporter {
  static inject = tokens(commonTokens.options);
  private readonly sample: Sample;
  private readonly durations = new Map<string, number>();

  constructor(options: StrykerOptions) {
    this.sample = (options as StrykerOptions & { sample: Sample }).sample;
  }

  onDryRunCompleted({ result }: DryRunCompletedEvent): void {
    for (const { id, timeSpentMs } of result.tests) this.durations.set(id, timeSpentMs);
  }

  onMutationTestingPlanReady({ mutantPlans }: MutationTestingPlanReadyEvent): void {
    choose(
      mutantPlans as MutationTestingPlanReadyEvent['mutantPlans'][number][],
      this.sample,
      this.durations,
    );
  }
}

/** @public StrykerJS takes the plugins of a module by this name. */
export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'sampler', Sampler)];
