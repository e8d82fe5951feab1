import { Type } from 'typebox';

// Labels and selectors as in Kubernetes (its documentation, "Labels and Selectors").

export const mostLabels = 64;

const part = '[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?';
const domain = '[a-z0-9]+(?:-+[a-z0-9]+)*';
const prefix = `(?=[^/]{1,253}/)${domain}(?:\\.${domain})*/`;
/** The patterns of a key, which matches one of them: a name, or a DNS name, a slash and a name. */
export const labelKeyPatterns = [`^${part}$`, `^${prefix}${part}$`];
/** The pattern of a value. */
export const labelValuePattern = `^(?:${part})?$`;

const asPart =
  'letters, digits, hyphens, underscores and dots, with a letter or digit at both ends';
export const labelKeyRule =
  `A key must be 1 to 63 ${asPart}. A DNS name in lower case and a slash may come before them, such as ` +
  'example.com/tier.';
export const labelValueRule = `A value must be empty, or at most 63 ${asPart}.`;

const key = {
  type: 'string',
  anyOf: labelKeyPatterns.map((pattern) => ({ pattern })),
  explain: labelKeyRule,
};

const value = {
  type: 'string',
  pattern: labelValuePattern,
  description: 'The value of the label. It may be empty.',
  examples: ['prod'],
  explain: labelValueRule,
};

const grammar =
  'A key consists of 1 to 63 letters, digits, hyphens, underscores and dots, with a letter or digit at both ends, ' +
  'optionally after a DNS name and a slash (`example.com/tier`). A value has the same form, without the DNS name, and may ' +
  'be empty. They are compared exactly, including case.';

/** In responses: values by keys. */
export function Labels(description: string) {
  const { explain: _, ...shown } = value;
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: shown,
    description,
    examples: [{ env: 'prod', team: 'web' }],
  });
}

/** In the body of a create. */
export const NewLabels = Type.Optional(
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: mostLabels,
    propertyNames: key,
    additionalProperties: value,
    description:
      `Up to ${mostLabels} labels: values by keys, as in Kubernetes. \`label_selector\` of \`GET /v1/servers\` finds servers ` +
      `by them. ${grammar} By default the server has none.`,
    examples: [{ env: 'prod', team: 'web' }],
    explain: `Must be an object of at most ${mostLabels} labels.`,
  }),
);

/** In the body of an update: null removes a label, or all of them. */
export const LabelsPatch = Type.Optional(
  Type.Unsafe<Record<string, string | null> | null>({
    type: ['object', 'null'],
    // As many removed as added ones.
    maxProperties: 2 * mostLabels,
    propertyNames: key,
    additionalProperties: {
      ...value,
      type: ['string', 'null'],
      description: 'The value of the label. It may be empty. Null removes the label.',
      explain: `${labelValueRule} Null removes the label.`,
    },
    description:
      'The labels to change, as a JSON Merge Patch (RFC 7396): a label that is given is added, or gets this value; a label ' +
      'whose value is null is removed; all others stay as they are. Null in the place of the object removes all labels. ' +
      `A server has at most ${mostLabels} labels. ${grammar}`,
    examples: [{ env: 'prod', old: null }],
    explain: `Must be an object of at most ${2 * mostLabels} labels, or null.`,
  }),
);

const longestSelector = 4096;

/**
 * A selector of servers by their labels. `selects` begins its description: what it selects. `whenEmpty` is a sentence about
 * an empty one.
 */
export function LabelSelector(selects: string, whenEmpty: string) {
  return Type.Optional(
    Type.String({
      maxLength: longestSelector,
      description:
        `${selects}, in the syntax of Kubernetes: requirements, separated by ` +
        'commas, all of which must be satisfied. `env=prod` (or `==`), `env!=prod`, `env in (prod,test)`, `env notin ' +
        '(prod,test)`, `env` (has the label), `!env` (does not), `size>3`, `size<3`. `!=` and `notin` are also satisfied ' +
        `without the label, \`>\` and \`<\` only by whole numbers. ${whenEmpty}`,
      examples: ['env in (prod,test),!old'],
      explain: `Must be a label selector of at most ${longestSelector} characters.`,
    }),
  );
}
