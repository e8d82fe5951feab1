import type { StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import type {
  DryRunCompletedEvent,
  MutationTestingPlanReadyEvent,
  Reporter,
} from '@stryker-mutator/api/report';
import { shuffled } from './shuffled.ts';

// Which changes are tried, and by which tests first. It is a reporter, since StrykerJS shows its plan to these; what
// they take out of it is not done.

/** What of the options of StrykerJS is ours. */
export interface SampleOptions {
  sample: { count: number; seed: number };
}

type Plans = MutationTestingPlanReadyEvent['mutantPlans'][number][];

class Sampler implements Reporter {
  static inject = tokens(commonTokens.options);
  private readonly sample: SampleOptions['sample'];
  /** How long each test file took without any change, in ms. */
  private readonly durations = new Map<string, number>();

  constructor(options: StrykerOptions) {
    this.sample = (options as StrykerOptions & SampleOptions).sample;
  }

  onDryRunCompleted({ result }: DryRunCompletedEvent): void {
    for (const { id, timeSpentMs } of result.tests) this.durations.set(id, timeSpentMs);
  }

  onMutationTestingPlanReady({ mutantPlans }: MutationTestingPlanReadyEvent): void {
    const plans = mutantPlans as Plans;
    const { count, seed } = this.sample;
    const tried = plans.filter(({ mutant }) => mutant.status !== 'Ignored');
    plans.splice(0, plans.length, ...shuffled(tried, seed).slice(0, count));
    for (const plan of plans) {
      if ('runOptions' in plan) plan.runOptions.testFilter?.sort(this.fasterFirst);
    }
  }

  private readonly fasterFirst = (one: string, other: string) =>
    (this.durations.get(one) ?? 0) - (this.durations.get(other) ?? 0);
}

/** @public StrykerJS takes the plugins of a module by this name. */
export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'sampler', Sampler)];
