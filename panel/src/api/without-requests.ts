// The service tells what to do as requests, because it is read by all kinds of clients. People at a page click.

const request = '`?(?:GET|POST|PUT|PATCH|DELETE) /v1/[^\\s`]*[^\\s`.,;:]`?';

/** What refers to a list that the page shows as choices, and what stands in its place. */
const replacements: [pattern: RegExp, words: string][] = [
  [new RegExp(` List the [\\w -]+ with ${request}\\.`, 'g'), ''],
  [new RegExp(`Choose one of ${request}\\.`, 'g'), 'Choose another one.'],
  [new RegExp(`the sizes of ${request}`, 'g'), 'the sizes that administrators have made'],
];

/** A text of the service without the requests that list what can be chosen. */
export const withoutRequests = (text: string): string =>
  replacements.reduce((now, [pattern, words]) => now.replaceAll(pattern, words), text);
