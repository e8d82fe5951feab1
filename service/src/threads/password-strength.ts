import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** On a scale to 4: "safely unguessable" with a slow hash, as ours is. */
const leastScore = 3;

const advice =
  'Choose a longer one, such as four unusual words, or let a password manager make it.';

/** The warnings of the estimator, with texts that say what is wrong. */
const warnings: Record<string, string> = {
  straightRow: 'It is a row of keys.',
  keyPattern: 'It is a pattern of keys.',
  simpleRepeat: 'It repeats a character.',
  extendedRepeat: 'It repeats itself.',
  sequences: 'It is a sequence, such as abc.',
  recentYears: 'It is a year.',
  dates: 'It is a date.',
  topTen: 'It is one of the first that anyone tries.',
  topHundred: 'It is one of the first that anyone tries.',
  common: 'It is a common one.',
  similarToCommon: 'It is close to a common one.',
  wordByItself: 'It is a single word.',
  namesByThemselves: 'It is a name.',
  commonNames: 'It is a name.',
  userInputs: 'It is similar to the name or the email address.',
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
  const why = feedback.warning ? (warnings[feedback.warning] ?? '') : '';
  return `Is too easy to guess. ${why && `${why} `}${advice}`;
}
