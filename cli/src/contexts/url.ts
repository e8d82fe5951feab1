import { usageFailure } from '../errors/failure.ts';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const example = 'A URL is https://berth.example, for example.';

/** The URL of a service as somebody types it, also without `https://`, and `http://` on the same machine. */
export function serviceUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!url) {
    // It is not repeated, because it may have a password in it.
    throw usageFailure('The URL of the service is not valid.', example);
  }
  if (url.username || url.password || url.search || url.hash) {
    const wrong = 'The URL of the service must not have a user name, a password, a query or a #.';
    throw usageFailure(wrong, example);
  }
  if (!text.includes('://') && loopback.test(url.hostname)) url.protocol = 'http:';
  return url.href.replace(/\/(v1\/?)?$/, '');
}

/** Whether others on the way can read what is sent. */
export function isReadable(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && !loopback.test(hostname);
}
