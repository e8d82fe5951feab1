import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** On a scale to 4: "safely unguessable" with a slow hash, as ours is. */
const leastScore = 3;

const advice =
  'Choose a longer one, such as four unusual words, or let a password manager make it.';

/** The warnings of the estimator: what the password is. */
const warnings: Record<string, string> = {
  straightRow: 'a row of keys',
  keyPattern: 'a pattern of keys',
  simpleRepeat: 'a repeated character',
  extendedRepeat: 'a repetition',
  sequences: 'a sequence, such as abc',
  recentYears: 'a year',
  dates: 'a date',
  topTen: 'one of the first that anyone tries',
  topHundred: 'one of the first that anyone tries',
  common: 'too common',
  similarToCommon: 'too similar to a common one',
  wordByItself: 'a single word',
  namesByThemselves: 'a name',
  commonNames: 'a name',
  userInputs: 'too similar to the name or the email address',
};

let loading: Promise<ZxcvbnFactory> | undefined;

/** Loaded when first needed: the dictionaries take time and memory. */
async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new Factory({ dictionary, graphs: adjacencyGraphs });
}

/**
 * What is weak about a password and what to do; undefined if it is strong. `about` is what others
 * know about its owner.
 */
export async function weaknessOf(
  password: string,
  about: readonly string[],
): Promise<string | undefined> {
  loading ??= load();
  const guesser = await loading;
  const known = about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  const { score, feedback } = guesser.check(password, known.filter(Boolean));
  if (score >= leastScore) return undefined;
  const is = (feedback.warning && warnings[feedback.warning]) || 'too easy to guess';
  return `This password is ${is}. ${advice}`;
}
