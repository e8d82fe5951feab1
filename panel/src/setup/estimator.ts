import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

// Loaded after the page, because the dictionaries are large. The service estimates passwords with the same ones.

const guesser = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** By the score of the estimator. The service accepts 3 and 4. */
const words = [
  'Much too easy to guess',
  'Too easy to guess',
  'Still too easy to guess',
  'Strong',
  'Very strong',
];

/** How strong a password is, in words. `about` has what others know about its owner. */
export function strengthOf(password: string, about: readonly string[]): string {
  const known = about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  const { score } = guesser.check(password, known.filter(Boolean));
  return words[score] ?? '';
}
