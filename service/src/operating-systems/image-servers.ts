/** The public image server of the Incus project. */
export const publicImageServer = 'https://images.linuxcontainers.org';

/**
 * The URL of an image server in the form in which URLs are compared; undefined if it is invalid, or has other parts
 * than host, port and path.
 */
export function readImageServer(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return undefined;
  if (url.username || url.password || url.search || url.hash) return undefined;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether images can come from this server. `allowed` are URLs as returned by `readImageServer`. */
export function isImageServerAllowed(server: string, allowed: readonly string[]): boolean {
  const place = readImageServer(server);
  return place !== undefined && allowed.includes(place);
}

export function notAnImageServer(server: string): string {
  return `${server} is not among the image servers of this installation. Whoever runs it can add it to the setting BERTH_IMAGE_SERVERS.`;
}
