import { Type } from 'typebox';

/**
 * Characters that a line of text cannot contain: control characters, halves of surrogate pairs, line separators, and
 * characters that change the direction of the text around them (Unicode TR 36, "Bidirectional Text Spoofing").
 */
const unsafe = '\\p{Cs}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069';
const noLine = `\\p{Cc}${unsafe}`;

/** May be empty. The time of a match is linear in the length of the text, whatever its content. */
export const linePattern = `^[^${noLine}]*$`;
const notBlank = `^(?!\\s*$)[^${noLine}]*$`;
/** Text of several lines: tabs, line feeds and carriage returns are the only control characters. */
const linesPattern = `^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f${unsafe}]*$`;

/** The `X-Request-Id` of a request. */
export const requestIdPattern = '^[A-Za-z0-9._-]{1,64}$';

const hex = (digits: number) => `[0-9a-fA-F]{${digits}}`;
/** The start of the pattern of a name. It excludes text that requests treat as an id or a UUID. */
export const noId = `(?![0-9]+$)(?!${[8, 4, 4, 4, 12].map(hex).join('-')}$)`;
const notBlankNorAnId = `^${noId}(?!\\s*$)[^${noLine}]*$`;

interface Words {
  description: string;
  examples: string[];
}

/** A description of one line, which may be empty. */
export function Description(words: Words) {
  return Type.String({
    maxLength: 500,
    pattern: linePattern,
    ...words,
    explain: 'Must be a string of at most 500 characters, without control characters.',
  });
}

/** Text of several lines, which may be empty. */
export function Notes(words: Words) {
  return Type.String({
    maxLength: 2000,
    pattern: linesPattern,
    ...words,
    explain:
      'Must be a string of at most 2000 characters, without control characters other than line breaks and tabs.',
  });
}

const asTitle =
  'Must be a string of 1 to 100 characters that are not all blank, without control characters.';

/** A display name. Requests do not refer to objects by it. */
export function Title(words: Words) {
  return Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: notBlank,
    ...words,
    explain: asTitle,
  });
}

/** The sentence about names by which requests refer to objects. */
export const notAnId =
  'It cannot consist only of digits or have the form of a UUID, since both are read as IDs.';

/** A name by which requests can also refer to the object. */
export function Name(words: Words) {
  return Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: notBlankNorAnId,
    ...words,
    explain: `${asTitle} ${notAnId}`,
  });
}
