import type { UserDataReport } from '../db/schema/schema.ts';
import { hideValuesOf } from './hidden-values.ts';

/** What a guest reports of its user data, as text of cloud-init. */
export interface UserDataResult {
  /** The output of `cloud-init status --format=json`, or of `cloud-init status`. */
  status: string;
  /** The output of `cloud-init schema`; empty if it finds no errors. */
  schema: string;
  /** The warnings and errors in its log. Before version 23.4, its status does not have them. */
  log: string;
}

/** In bytes. The runner cuts them at the same lengths. */
export const longestParts = { status: 32 * 1024, schema: 8 * 1024, log: 8 * 1024 } as const;
const longestLine = 400;

const mostErrors = 20;
const mostCharacters = 500;

/**
 * What the API shows of the result. The values of `userData`, as in the request, are hidden in it. Without it, names of
 * fields are hidden as well. The text comes from a guest, and may be anything.
 */
export function reportOf(result: UserDataResult, userData: string | undefined): UserDataReport {
  const { status, errors } = readStatus(result.status);
  const schema = schemaErrors(result.schema);
  const all = [...errors, ...schema, ...warnings(result.log, schema.length > 0)];
  const found = status === 'done' && all.length > 0 ? 'degraded' : status;
  const hide = hideValuesOf(userData);
  const shown = all
    .slice(0, 2 * mostErrors)
    .map((one) => hide(oneLine(one)).slice(0, mostCharacters));
  return { status: found, errors: [...new Set(shown)].slice(0, mostErrors) };
}

interface Status {
  status?: unknown;
  errors?: unknown;
}

function readStatus(text: string): { status: UserDataReport['status']; errors: string[] } {
  const { status, errors } = parsed(text);
  const texts = textsOf(errors);
  if (status === 'error' || texts.length > 0) return { status: 'error', errors: texts };
  if (status === 'done') return { status, errors: [] };
  if (status === 'running') {
    return { status: 'error', errors: ['cloud-init ended before it was done.'] };
  }
  const isKnown = typeof status === 'string' && /^[a-z ]{1,40}$/.test(status);
  const said = isKnown ? `Its status is "${status}".` : 'It did not report a status.';
  return { status: 'unknown', errors: [`cloud-init did not carry it out. ${said}`] };
}

/** Earlier versions of cloud-init report their status in lines only, and so does the runner if the JSON is too long. */
function parsed(text: string): Status {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    const [, status] = /^status: ([a-z ]+)$/m.exec(text) ?? [];
    return { status };
  }
}

/**
 * Each error begins with the path of a field, such as `users.0: `. Version 22.4 prints an empty list of deprecations after
 * them.
 */
function schemaErrors(text: string): string[] {
  const whole = withoutCutWord(text, longestParts.schema);
  const [, errors = ''] = /schema errors:\s+(.*)/s.exec(whole) ?? [];
  const [own = ''] = errors.split(/\n\s*\n|\nCloud config schema /);
  return own.split(/,\s+(?=[\w.-]+: )/).filter((one) => one.trim() !== '');
}

const level = /\[(?:WARNING|ERROR|CRITICAL)\]: /;

/** Without the one that only says that there are errors of the schema. */
function warnings(log: string, hasSchemaErrors: boolean): string[] {
  const lines = log.split('\n').slice(-mostErrors);
  const messages = lines.flatMap((line) => {
    const found = level.exec(line);
    if (!found) return [];
    return withoutCutWord(line, longestLine).slice(found.index + found[0].length);
  });
  const isRepeated = (message: string) => /cloud-init schema/.test(message);
  return hasSchemaErrors ? messages.filter((message) => !isRepeated(message)) : messages;
}

const textsOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** The guest may have cut the last word of a text that is as long as this. The part may look like a word to be shown. */
function withoutCutWord(text: string, longestBytes: number): string {
  const isWhole = Buffer.byteLength(text) < longestBytes;
  return isWhole ? text : text.slice(0, text.lastIndexOf(' ') + 1);
}

/** In one line, without control characters. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
