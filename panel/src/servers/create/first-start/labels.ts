import { BerthError } from '@berth/client';

/** Labels as the API has them, values by keys, of a text such as `env=prod, team=web`. */
export function labelsOf(text: string): Record<string, string> {
  const labels = text.split(/[\s,]+/).filter(Boolean);
  return Object.fromEntries(
    labels.map((label) => {
      const [key = '', ...value] = label.split('=');
      return [key, value.join('=')];
    }),
  );
}

/** What is wrong with a label, with its key. */
export function labelError(error: unknown): string | undefined {
  if (!(error instanceof BerthError)) return undefined;
  for (const { pointer = '', detail } of error.errors) {
    const key = /^\/labels\/(.+)$/.exec(pointer)?.[1];
    if (key !== undefined) return `${key.replaceAll('~1', '/').replaceAll('~0', '~')}: ${detail}`;
  }
  return undefined;
}
