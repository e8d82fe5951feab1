import type { UsageQuery } from '@berth/contract/usage';
import { invalidFields } from '../../problems/problem.ts';
import { beginningOf, later, type Resolution, resolutions } from './history.ts';

/** The times of a chart: whole steps from the beginning of the first to the end of the last. */
export interface Window {
  from: Date;
  to: Date;
  stepSeconds: number;
  /** The coarsest sufficient table. Rows that are not rolled up yet are read from finer ones. */
  source: Resolution;
}

const day = 86_400;
const mostSteps = 2000;
/** The longest step, and how far a window may reach into the future. */
const maxDays = 366;
/** The most steps of a window without an explicit step. */
const defaultMaxSteps = 500;
const suitableSteps = [15, 300, 900, 3600, 10_800, 21_600, day];
const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: day };

/** Throws `validation_failed` (422) for a window that can't be shown. */
export function readWindow(query: UsageQuery, now: Date): Window {
  const to = query.to === undefined ? now : new Date(query.to);
  const from = query.from === undefined ? later(to, -day) : new Date(query.from);
  if (from >= to) throw invalid('from', 'Must be before `to`.');
  if (to > later(now, maxDays * day)) {
    throw invalid('to', `Must be within ${maxDays} days from now.`);
  }
  const age = (now.getTime() - from.getTime()) / 1000;
  const stepSeconds = query.step === undefined ? suitableStep(from, to, age) : readStep(query.step);
  const window = fullSteps(from, to, stepSeconds);
  if (stepsIn(window) > mostSteps) {
    const detail = `Would return ${stepsIn(window)} values. Request at most ${mostSteps}, with a longer step or a shorter time.`;
    throw invalid(query.step === undefined ? 'from' : 'step', detail);
  }
  requireKept(window, age);
  return window;
}

function readStep(text: string): number {
  const step = Number.parseInt(text, 10) * (units[text.at(-1) ?? ''] ?? 1);
  if (step > maxDays * day) throw invalid('step', `Must be at most ${maxDays} days.`);
  if (step % 15 === 0) return step;
  throw invalid('step', 'Must be a multiple of 15 seconds.');
}

/** The shortest of the usual steps that fits into a chart and is still kept. */
function suitableStep(from: Date, to: Date, age: number): number {
  const seconds = (to.getTime() - from.getTime()) / 1000;
  const fits = (step: number) =>
    seconds / step <= defaultMaxSteps && isKept(sourceOf(step), step, age);
  return suitableSteps.find(fits) ?? day;
}

/** For times before any table, the coarsest one is used. */
const isKept = ({ keptSeconds }: Resolution, stepSeconds: number, age: number) =>
  keptSeconds === longest || age <= keptSeconds + stepSeconds;

const longest = Math.max(...resolutions.map(({ keptSeconds }) => keptSeconds));

/** The coarsest table from which whole steps can be computed. */
export function sourceOf(stepSeconds: number): Resolution {
  const [finest] = resolutions;
  return resolutions.findLast((source) => stepSeconds % source.stepSeconds === 0) ?? finest;
}

function fullSteps(from: Date, to: Date, stepSeconds: number): Window {
  const last = beginningOf(new Date(to.getTime() - 1), stepSeconds);
  return {
    from: beginningOf(from, stepSeconds),
    to: later(last, stepSeconds),
    stepSeconds,
    source: sourceOf(stepSeconds),
  };
}

const stepsIn = ({ from, to, stepSeconds }: Window) =>
  (to.getTime() - from.getTime()) / 1000 / stepSeconds;

/**
 * Refuses a step that is no longer kept, instead of showing a gap that a longer step would fill. Times before all
 * tables are a gap.
 */
function requireKept({ source, stepSeconds }: Window, age: number): void {
  if (isKept(source, stepSeconds, age)) return;
  const coarser = resolutions.find(({ keptSeconds }) => keptSeconds >= Math.min(age, longest));
  const detail =
    `Samples of ${source.stepSeconds} s are kept for ${source.keptSeconds / 3600} hours: ` +
    `begin later, or ask for a multiple of ${coarser?.stepSeconds} s.`;
  throw invalid('step', detail);
}

const invalid = (parameter: string, detail: string) => invalidFields([{ parameter, detail }]);

/** The beginning of each step. */
export function timesOf(window: Window): Date[] {
  const { from, stepSeconds } = window;
  return Array.from({ length: stepsIn(window) }, (_, index) => later(from, index * stepSeconds));
}
