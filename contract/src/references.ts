import { type Static, type TSchema, Type } from 'typebox';
import { examplesOf, identifiersOf, type NamedNoun, type Noun, namesOf, wordsOf } from './nouns.ts';
import { maxId } from './values.ts';

/** `the ID, name or UUID of a server`. */
function words(noun: Noun, article: 'a' | 'the'): string {
  const name = wordsOf(noun);
  // Abbreviations that are spelled out can begin with the sound of a vowel, such as "an SSH key".
  const isVowel = /^([aeio]|[AEFHILMNORSX][A-Z])/.test(name);
  const of = article === 'a' && isVowel ? `an ${name}` : `${article} ${name}`;
  return `the ${identifiersOf(noun)} of ${of}`;
}

/**
 * A field or a filter that refers to an object by its id or another identifier. Text that consists of digits is an id,
 * text in the form of a UUID is a UUID if the noun has one, and all other text is a name. The service resolves it
 * before the route runs, so its type is that of an id. The schema has the noun as `reference`.
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

/** The same, for an object whose noun is the value of another parameter, such as `target_kind`. */
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

/** A reference in a path. An unknown object is a 404. */
function inPath(noun: Noun) {
  return Type.Unsafe<number>({
    type: 'string',
    description: `${words(noun, 'the').replace(/^t/, 'T')}.`,
    examples: ['1', ...examplesOf(noun)],
    reference: noun,
  });
}

/**
 * The schema of such a reference in the document of the API, where all paths share it. No request is validated against
 * it: what it does not take names nothing, and is a 404.
 */
export function referenceSchema(noun: Noun) {
  const [name, ...others] = namesOf(noun);
  const title = noun.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  const description = words(noun, 'a').replace(/^t/, 'T');
  const shared = { type: 'string', examples: ['1', ...examplesOf(noun)] };
  if (name === undefined) {
    const pattern = '^[1-9][0-9]{0,15}$';
    return { title: `${title}Id`, ...shared, pattern, description: `${description}, in digits.` };
  }
  const read = [
    'Text of only digits is taken as the ID,',
    ...others.map((other) => `text in the form of a ${other} as the ${other},`),
    `and any other text as the ${name}.`,
  ];
  // Nothing else can be called the same.
  const isUnique = name !== 'name';
  const several = 'If several objects have this name, the response is 409 `ambiguous_name`.';
  return {
    title: `${title}Reference`,
    ...shared,
    ...{ minLength: 1, maxLength: 254 },
    description: `${description}. ${read.join(' ')}${isUnique ? '' : ` ${several}`}`,
  };
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
