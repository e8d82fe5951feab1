/** Where to go after signing in: only a path of the panel, because anybody can write such a link. */
export function returnTo(from: unknown): string {
  if (typeof from !== 'string' || !from.startsWith('/')) return '/servers';
  const url = URL.parse(from, 'https://panel.invalid');
  const isOwn = url?.origin === 'https://panel.invalid' && url.pathname.startsWith('/servers');
  return isOwn ? `${url.pathname}${url.search}` : '/servers';
}
