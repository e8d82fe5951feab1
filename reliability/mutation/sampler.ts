import type { MutantResult, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import type {
  DryRunCompletedEvent,
  MutationTestingPlanReadyEvent,
  Reporter,
} from '@stryker-mutator/api/report';
import { createRandom } from '../../service/src/testing/random.ts';
import { mutantOf } from './mutant.ts';
import { explainedSurvivors, scoreOf } from './survivors.ts';
import { createTestOrder, type TestOrder } from './test-order.ts';

// Selects the mutants that are run, and the order of their tests. It is a reporter, because StrykerJS shows its plan to
// reporters, does not run what they remove from it, and reads the tests of a mutant when it begins with it.

/** A sample of all changes, determined by a seed. */
export interface Sample {
  count: number;
  seed: number;
}

/** The part of a plan of StrykerJS that matters here. */
export interface Plan {
  mutant: { fileName: string; location: { start: { line: number } }; status?: string };
  runOptions?: { testFilter?: string[] };
}

/** Leaves a sample of the plans. */
export function choose(plans: Plan[], { count, seed }: Sample): void {
  const tried = plans.filter(({ mutant }) => mutant.status !== 'Ignored');
  plans.splice(0, plans.length, ...createRandom(seed).shuffled(tried).slice(0, count));
}

/** Orders the tests of each plan, or of those of one file. */
export function orderTests(plans: Plan[], order: TestOrder, file?: string): void {
  for (const { mutant, runOptions } of plans) {
    if (file !== undefined && mutant.fileName !== file) continue;
    if (runOptions?.testFilter) order.sort(placeOf(mutant), runOptions.testFilter);
  }
}

const placeOf = ({ fileName, location }: Plan['mutant']) => ({
  file: fileName,
  line: location.start.line,
});

class Sampler implements Reporter {
  static inject = tokens(commonTokens.options);
  private readonly sample: Sample;
  private readonly durations = new Map<string, number>();
  private readonly order = createTestOrder(this.durations);
  private readonly explained = explainedSurvivors();
  private plans: Plan[] = [];

  constructor(options: StrykerOptions) {
    this.sample = (options as StrykerOptions & { sample: Sample }).sample;
  }

  onDryRunCompleted({ result }: DryRunCompletedEvent): void {
    for (const { id, timeSpentMs } of result.tests) this.durations.set(id, timeSpentMs);
  }

  onMutationTestingPlanReady({ mutantPlans }: MutationTestingPlanReadyEvent): void {
    this.plans = mutantPlans as MutationTestingPlanReadyEvent['mutantPlans'][number][];
    choose(this.plans, this.sample);
    orderTests(this.plans, this.order);
  }

  onMutantTested(mutant: MutantResult): void {
    this.printUndetected(mutant);
    const { fileName, killedBy = [] } = mutant;
    for (const test of killedBy) this.order.detected(placeOf(mutant), test);
    if (killedBy.length > 0) orderTests(this.plans, this.order, fileName);
  }

  /** Prints an undetected mutant when it is found, because a room can take an hour. */
  private printUndetected(result: MutantResult): void {
    for (const mutant of scoreOf([mutantOf(result)], this.explained).unexplained) {
      const { file, line, mutator, original, replacement } = mutant;
      console.log(`${file}:${line} ${mutator}\n  - ${original}\n  + ${replacement}`);
    }
  }
}

/** @public StrykerJS takes the plugins of a module by this name. */
export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'sampler', Sampler)];
