/** The first part of each path that is about something to come back to. */
const pages = [
  ...['servers', 'operations', 'events', 'ssh-keys', 'tokens', 'webhooks'],
  ...['members', 'quota', 'audit', 'statement', 'account', 'admin', 'authorize'],
];

/** Where to go after signing in: only a path of the panel, because anybody can write such a link. */
export function returnTo(from: unknown): string {
  if (typeof from !== 'string' || !from.startsWith('/')) return '/servers';
  const url = URL.parse(from, 'https://panel.invalid');
  if (url?.origin !== 'https://panel.invalid') return '/servers';
  const [, page = ''] = url.pathname.split('/');
  return pages.includes(page) ? `${url.pathname}${url.search}` : '/servers';
}
