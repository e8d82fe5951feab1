/** The image server of the Incus project, which all its installations know. */
export const publicImageServer = 'https://images.linuxcontainers.org';

/** An address of an image server as it is compared; undefined for what is none, or has more in it than a place. */
export function readImageServer(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return undefined;
  if (url.username || url.password || url.search || url.hash) return undefined;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether images may come from there: `allowed` are addresses as `readImageServer` answers them. */
export function isImageServerAllowed(server: string, allowed: readonly string[]): boolean {
  const place = readImageServer(server);
  return place !== undefined && allowed.includes(place);
}

export function notAnImageServer(server: string): string {
  return `${server} is not among the image servers of this installation. Whoever runs it can add it to the setting BERTH_IMAGE_SERVERS.`;
}
