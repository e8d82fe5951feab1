import { usageFailure } from '../errors/failure.ts';

/** The URL of a service as somebody types it, with or without `https://`. */
export function serviceUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (URL.canParse(url)) return new URL(url).href.replace(/\/(v1\/?)?$/, '');
  throw usageFailure(`${text} is not a URL.`, 'A URL is https://berth.example, for example.');
}
