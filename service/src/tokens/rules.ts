import type { TokenCreate } from '@berth/contract/tokens';
import type { Caller, Scope } from '../callers/app-types.ts';
import { allows } from '../callers/scopes.ts';
import { type FieldError, invalidFields, Problem } from '../problems/problem.ts';
import { isWithin, normalNetwork } from './networks.ts';

// A token is no stronger than its creator: in its scopes, its networks and its expiry.

export function rulesErrors(body: Partial<TokenCreate>, caller: Caller): FieldError[] {
  return [
    ...scopeErrors(body.scopes ?? [], caller),
    ...expiryErrors(body.expires_at ?? caller.expiresAt, caller),
    ...networkErrors(body.allowed_networks ?? caller.allowedNetworks, caller),
  ];
}

/** Merges the errors of the schema with those of the rules for other fields, so that they are reported together. */
export function withRules(
  error: unknown,
  request: { body: unknown; readonly caller: Caller },
): unknown {
  if (!(error instanceof Problem && error.code === 'validation_failed' && error.errors))
    return error;
  const refused = error.errors.map(({ pointer = '' }) => pointer.split('/')[1] ?? '');
  const isTaken = ([name]: [string, unknown]) => !refused.includes(name);
  const taken: Partial<TokenCreate> = Object.fromEntries(
    Object.entries(request.body ?? {}).filter(isTaken),
  );
  return invalidFields([...error.errors, ...rulesErrors(taken, request.caller)]);
}

function scopeErrors(scopes: readonly Scope[], caller: Caller): FieldError[] {
  return scopes.flatMap((scope, index) =>
    allows(caller.scopes, scope)
      ? []
      : [{ pointer: `/scopes/${index}`, detail: `You do not have the scope ${scope} yourself.` }],
  );
}

function expiryErrors(expiresAt: string | null, caller: Caller): FieldError[] {
  const pointer = '/expires_at';
  if (expiresAt === null) return [];
  const time = Date.parse(expiresAt);
  if (time <= Date.now()) return [{ pointer, detail: 'Must be in the future.' }];
  if (caller.expiresAt === null || exactly(expiresAt) <= exactly(caller.expiresAt)) return [];
  return [{ pointer, detail: `Must not be later than your own expiry, ${caller.expiresAt}.` }];
}

/** Converts a time to its second in UTC, and the six fractional digits of PostgreSQL, so that texts have the order of their times. */
function exactly(time: string): string {
  const [, digits = ''] = /\.(\d+)/.exec(time) ?? [];
  const second = new Date(time.replace(/\.\d+/, '')).toISOString();
  return `${second} ${digits.padEnd(6, '0')}`;
}

function networkErrors(networks: readonly string[], caller: Caller): FieldError[] {
  const own = caller.allowedNetworks;
  if (networks.length === 0 && own.length > 0) {
    const detail = `Must not be empty, because you are restricted to ${own.join(', ')}.`;
    return [{ pointer: '/allowed_networks', detail }];
  }
  return networks.flatMap((network, index) => {
    const pointer = `/allowed_networks/${index}`;
    const normal = normalNetwork(network);
    if (normal === undefined) {
      return [{ pointer, detail: 'Must be a network such as 203.0.113.0/24 or 2001:db8::/32.' }];
    }
    if (own.length === 0 || isWithin(normal, own)) return [];
    return [{ pointer, detail: `Must be within your own networks, ${own.join(', ')}.` }];
  });
}
