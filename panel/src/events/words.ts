import type { Event } from '@berth/client';
import { bytes, disk, memory } from '../format/units.ts';
import { kindNames } from '../operations/search.ts';

/** What an event tells beyond its type, as text. Empty if there is nothing more. */
export function detailOf(event: Event): string {
  if (event.type === 'server.updated')
    return `Changed: ${event.data.changed.map(named).join(', ')}`;
  if (event.type === 'usage.allowance_reached') {
    const { percent, allowance, month } = event.data;
    return `${percent} % of ${allowance === null ? 'the allowance' : bytes(allowance)} in ${month}`;
  }
  if (event.type === 'webhook.paused') {
    const { name, paused_because } = event.data.webhook;
    return `${name}: ${paused_because === 'gone' ? 'its receiver is gone for good' : 'its receiver fails'}`;
  }
  if ('operation' in event.data) {
    const { kind, progress, message, error, status } = event.data.operation;
    const far = status === 'running' ? ` (${progress} %)` : '';
    return `${kindNames[kind] ?? kind}${far}: ${error?.detail ?? message}`;
  }
  if ('server' in event.data) return event.data.server.error ?? '';
  return '';
}

export interface Fact {
  name: string;
  value: string;
}

const formats: Record<string, (value: number) => string> = { ram: memory, disk, allowance: bytes };

/** The data of an event as names and values. Later releases of the service may add fields. */
export function factsOf(data: object): Fact[] {
  const entries = Object.entries(data);
  const [only] = entries;
  // What the event is about need not be said with each field.
  if (entries.length === 1 && only && isObject(only[1])) return factsBelow(only[1], []);
  return factsBelow(data, []);
}

function factsBelow(value: object, path: readonly string[]): Fact[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const names = [...path, key];
    if (isObject(inner) && Object.keys(inner).length > 0) return factsBelow(inner, names);
    return [{ name: names.map(named).join(' · '), value: shown(key, inner) }];
  });
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `location_id` as `location ID`. */
const named = (key: string): string =>
  key.replaceAll('_', ' ').replace(/\b(?:uu)?id$/, (id) => id.toUpperCase());

function shown(key: string, value: unknown): string {
  const format = formats[key];
  if (format && typeof value === 'number') return format(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((one) => shown('', one)).join(', ') || 'none';
  if (value === null || isObject(value)) return 'none';
  return String(value);
}
