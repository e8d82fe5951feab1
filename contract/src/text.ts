import { Type } from 'typebox';

/**
 * Not in a line of text: control characters, halves of surrogate pairs, ends of lines, and what turns
 * the direction of the text around it (Unicode TR 36, "Bidirectional Text Spoofing").
 */
const noLine = '\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069';

/** May be empty. Time to check it grows with its length, whatever is in it. */
export const linePattern = `^[^${noLine}]*$`;
const notBlank = `^(?!\\s*$)[^${noLine}]*$`;

const hex = (digits: number) => `[0-9a-fA-F]{${digits}}`;
/** For the start of the pattern of a name: not a text that requests read as an id or a UUID. */
export const noId = `(?![0-9]+$)(?!${[8, 4, 4, 4, 12].map(hex).join('-')}$)`;
const notBlankNorAnId = `^${noId}(?!\\s*$)[^${noLine}]*$`;

interface Words {
  description: string;
  examples: string[];
}

/** A line that people write about something; it may be empty. */
export function Description(words: Words) {
  return Type.String({
    maxLength: 500,
    pattern: linePattern,
    ...words,
    explain: 'Must be a string of at most 500 characters, without control characters.',
  });
}

const asTitle =
  'Must be a string of 1 to 100 characters that are not all blank, without control characters.';

/** What people call something. */
export function Title(words: Words) {
  return Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: notBlank,
    ...words,
    explain: asTitle,
  });
}

/** Of what requests can name. */
export const notAnId =
  'It cannot consist only of digits or have the form of a UUID, since both are read as IDs.';

/** What people and requests call something. */
export function Name(words: Words) {
  return Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: notBlankNorAnId,
    ...words,
    explain: `${asTitle} ${notAnId}`,
  });
}
