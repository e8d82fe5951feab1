import { type Static, type TSchema, Type } from 'typebox';
import { examplesOf, identifiersOf, type NamedNoun, type Noun, wordsOf } from './nouns.ts';
import { maxId } from './values.ts';

/** `the ID, name or UUID of a server`. */
function words(noun: Noun, article: 'a' | 'the'): string {
  const name = wordsOf(noun);
  // Letters that are said one by one begin with a vowel, too: an SSH key.
  const isVowel = /^([aeio]|[AEFHILMNORSX][A-Z])/.test(name);
  const of = article === 'a' && isVowel ? `an ${name}` : `${article} ${name}`;
  return `the ${identifiersOf(noun)} of ${of}`;
}

/**
 * A field or a filter that refers to something: by its id, or by what else names it. Text that is all
 * digits is an id, text in the form of a UUID is a UUID where the noun has one, and all else is a name.
 * The service resolves it before a route sees it, whose type therefore is that of an id. What it can
 * refer to stands in the schema as `reference`.
 */
export function Reference(noun: NamedNoun, description: string) {
  return Type.Unsafe<number>({
    type: ['integer', 'string'],
    ...{ minimum: 1, maximum: maxId, minLength: 1, maxLength: 254 },
    description: `${description} The value is ${words(noun, 'a')}.`,
    examples: [1, ...examplesOf(noun)],
    explain: `Must be ${words(noun, 'a').replaceAll('`', '')}.`,
    reference: noun,
  });
}

/** The same, of what another parameter says that it is: the target of an entry, by `target_kind`. */
export function ReferenceBy(parameter: string, description: string) {
  return Type.Unsafe<number>({
    type: ['integer', 'string'],
    ...{ minimum: 1, maximum: maxId, minLength: 1, maxLength: 254 },
    description: `${description} The value is its ID, or whatever else identifies an object of this kind.`,
    examples: [42, 'web-1'],
    explain: 'Must be the ID of the target, or what else identifies it.',
    referenceBy: parameter,
  });
}

/** A reference in a path. What names nothing is a 404. */
function inPath(noun: Noun) {
  return Type.Unsafe<number>({
    type: 'string',
    description: `${words(noun, 'the').replace(/^t/, 'T')}.`,
    examples: ['1', ...examplesOf(noun)],
    reference: noun,
  });
}

/**
 * The parameters of a path with an `id`, and of what each of them is: `{ id: 'project' }`. `others` are those that
 * refer to nothing.
 */
export function PathParams<
  const N extends Record<string, Noun>,
  // biome-ignore lint/complexity/noBannedTypes: no further parameters
  O extends Record<string, TSchema> = {},
>(nouns: N, others?: O) {
  const parts = Object.entries(nouns).map(([name, noun]) => [name, inPath(noun)]);
  return Type.Unsafe<{ [K in keyof N]: number } & { [K in keyof O]: Static<O[K]> }>(
    Type.Object({ ...Object.fromEntries(parts), ...others }),
  );
}
