import { scopes as allScopes, type Scope } from './app-types.ts';

/** The scopes that each scope implies. */
const implied: Record<Scope, readonly Scope[]> = {
  'servers:read': ['servers:read'],
  'servers:write': ['servers:write', 'servers:read'],
  'metrics:read': ['metrics:read'],
  admin: ['admin', 'servers:write', 'servers:read', 'metrics:read'],
};

export function allows(granted: readonly Scope[], scope: Scope): boolean {
  return granted.some((one) => implied[one].includes(scope));
}

/** The scopes that both lists allow. */
export function withinBoth(some: readonly Scope[], others: readonly Scope[]): readonly Scope[] {
  if (some.every((scope) => allows(others, scope))) return some;
  return allScopes.filter((scope) => allows(some, scope) && allows(others, scope));
}
