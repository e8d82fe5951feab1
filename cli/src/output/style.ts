import { styleText } from 'node:util';
import type { Io, Output } from '../io.ts';

type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours text, or returns it as it is. */
export type Style = (format: Format, text: string) => string;

/** Colours are only for a terminal that has them; NO_COLOR and TERM=dumb turn them off. */
export function styleFor(output: Output, env: Io['env']): Style {
  return hasColors(output, env)
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_, text) => text;
}

export const hasColors = (output: Output, env: Io['env']): boolean =>
  output.isTTY === true && !env.NO_COLOR && (output.hasColors?.(16, env) ?? false);

const ofStatus: Record<string, Format> = {
  started: 'green',
  online: 'green',
  succeeded: 'green',
  done: 'green',
  accepted: 'green',
  'would accept': 'green',
  ready: 'green',
  ok: 'green',
  creating: 'yellow',
  deleting: 'yellow',
  running: 'yellow',
  pending: 'yellow',
  importing: 'yellow',
  wanted: 'yellow',
  paused: 'yellow',
  cordoned: 'yellow',
  evacuated: 'yellow',
  degraded: 'yellow',
  unavailable: 'red',
  error: 'red',
  failed: 'red',
  refused: 'red',
  failing: 'red',
  offline: 'red',
  lost: 'red',
  gone: 'red',
};

/** Statuses have the colours of traffic lights. */
export function colouredStatus(status: string, style: Style): string {
  const format = ofStatus[status];
  return format ? style(format, status) : status;
}

/** The text as it is for a pipe, and without control characters for a terminal. */
export const printableOn = ({ isTTY }: Output, text: string): string =>
  isTTY ? printable(text) : text;

/** Escapes control characters, so that text of others can't control the terminal. */
export const printable = (text: string) =>
  text.replace(/[^\P{C}\n\t]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
