/** The code as the terminal shows it, for one that somebody has typed. Undefined if it can be none. */
export function readCode(typed: unknown): string | undefined {
  if (typeof typed !== 'string') return undefined;
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  return /^[A-Z]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined;
}

export interface AuthorizeSearch {
  code?: string;
}

/** What the URL says. */
export function readAuthorizeSearch(found: Record<string, unknown>): AuthorizeSearch {
  const code = readCode(found.code);
  return code === undefined ? {} : { code };
}
