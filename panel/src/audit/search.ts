import type { paths } from '@berth/client';
import { type Action, isAction, isKind, type ProjectKind } from './actions.ts';

/** The filters of the audit log, as they are in the URL. */
export interface AuditSearch {
  /** A user or a token, as `user:2` or `token:3`. */
  who?: string;
  action?: Action;
  kind?: ProjectKind;
  /** The ID of an object of this kind. */
  target?: number;
  /** Days in the zone of the viewer, such as `2026-11-28`; both are included. */
  from?: string;
  to?: string;
}

const callers = /^(user|token):([1-9]\d{0,14})$/;

/** What the URL says, without what is not understood. */
export function readAuditSearch(found: Record<string, unknown>): AuditSearch {
  const { who, action, kind } = found;
  const target = Number(found.target);
  const [from, to] = [dayOf(found.from), dayOf(found.to)];
  return {
    ...(typeof who === 'string' && callers.test(who) && { who }),
    ...(isAction(action) && { action }),
    ...(isKind(kind) && { kind }),
    // An ID means nothing without a kind.
    ...(isKind(kind) && Number.isSafeInteger(target) && target > 0 && { target }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

/** A day that exists. The years before are those of somebody who is still typing. */
export function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[2-9]\d{3}-\d\d-\d\d$/.test(value)) return undefined;
  const time = new Date(`${value}T00:00:00Z`);
  const isDay = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value);
  return isDay ? value : undefined;
}

export const hasFilters = (search: AuditSearch): boolean => Object.keys(search).length > 0;

type Query = NonNullable<paths['/v1/audit']['get']['parameters']['query']>;

/** The parameters of `GET /v1/audit`. */
export function queryOf({ who, action, kind, target, from, to }: AuditSearch): Query {
  const [, by, id] = callers.exec(who ?? '') ?? [];
  return {
    ...(by === 'user' && { user_id: [Number(id)] }),
    ...(by === 'token' && { token_id: [Number(id)] }),
    ...(action && { action: [action] }),
    ...(kind && { target_kind: [kind] }),
    ...(target && { target_id: [target] }),
    ...(from && { from: midnight(from, 0) }),
    ...(to && { to: midnight(to, 1) }),
  };
}

/** The beginning of a day in the zone of the viewer, or of a later one. Not each day has 24 hours. */
function midnight(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const time = new Date(0);
  time.setFullYear(year, month - 1, date + later);
  time.setHours(0, 0, 0, 0);
  return time.toISOString();
}
