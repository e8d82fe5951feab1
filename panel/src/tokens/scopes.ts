import type { components } from '@berth/client';

export type Scope = components['schemas']['Token']['scopes'][number];

interface Words {
  name: string;
  explanation: string;
}

export const scopeWords: Record<Scope, Words> = {
  'servers:read': {
    name: 'Read servers',
    explanation: 'Shows servers and all that belongs to them.',
  },
  'servers:write': {
    name: 'Change servers',
    explanation: 'Also creates, controls and deletes them.',
  },
  'metrics:read': { name: 'Read metrics', explanation: 'Shows only /metrics, for Prometheus.' },
  admin: { name: 'Administer everything', explanation: 'Allows all that an administrator may do.' },
};

/** The scopes that each scope includes. */
const included: Record<Scope, readonly Scope[]> = {
  'servers:read': [],
  'servers:write': ['servers:read'],
  'metrics:read': [],
  admin: ['servers:read', 'servers:write', 'metrics:read'],
};

const all = Object.keys(scopeWords) as Scope[];

/** The scopes that somebody with these may give to a token. */
export const grantable = (own: readonly Scope[]): Scope[] =>
  all.filter((scope) => own.some((one) => one === scope || included[one].includes(scope)));

/** What scopes allow, without those that another one includes: `Change servers, Read metrics`. */
export function scopesInWords(scopes: readonly Scope[]): string {
  const rest = scopes.filter((scope) => !scopes.some((one) => included[one].includes(scope)));
  return rest.map((scope) => scopeWords[scope].name).join(', ');
}
