import type { paths } from '@berth/client';
import type { Scope } from './scopes.ts';

type Body = paths['/v1/tokens']['post']['requestBody']['content']['application/json'];

/** The days after which a token expires; 0 for never. */
export const lifetimes = [
  { days: 1, name: 'in a day' },
  { days: 30, name: 'in 30 days' },
  { days: 90, name: 'in 90 days' },
  { days: 365, name: 'in a year' },
  { days: 0, name: 'never' },
] as const;

export const usualDays = 90;
export const names = ['name', 'scopes', 'expires_at'] as const;

const dayMs = 24 * 60 * 60 * 1000;

/** The body of the request, for what somebody has entered. */
export function bodyOf(form: FormData, now: number): Body {
  const days = Number(form.get('expires_at'));
  return {
    name: String(form.get('name')).trim(),
    scopes: form.getAll('scopes') as Scope[],
    ...(days > 0 && { expires_at: new Date(now + days * dayMs).toISOString() }),
  };
}
