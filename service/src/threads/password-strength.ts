import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** On a scale to 4: "safely unguessable" with a slow hash, as ours is. */
const leastScore = 3;

const advice =
  'Choose a longer one, such as four unusual words, or let a password manager make it.';

/** What the warnings of the estimator say of the password. */
const warnings: Record<string, string> = {
  straightRow: 'it is a row of keys',
  keyPattern: 'it is a pattern of keys',
  simpleRepeat: 'it repeats a character',
  extendedRepeat: 'it repeats itself',
  sequences: 'it contains a sequence, such as abc',
  recentYears: 'it contains a year',
  dates: 'it contains a date',
  topTen: 'it is one of the first that anyone tries',
  topHundred: 'it is one of the first that anyone tries',
  common: 'it is a common one',
  similarToCommon: 'it is close to a common one',
  wordByItself: 'it is a single word',
  namesByThemselves: 'it is a name',
  commonNames: 'it is a name',
  userInputs: 'it is similar to the name or the email address',
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
 * Returns why a password is weak and what to do; undefined if it is strong. `about` has what others know about its
 * owner.
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
  const why = feedback.warning && warnings[feedback.warning];
  return `This password is too easy to guess${why ? `: ${why}` : ''}. ${advice}`;
}
