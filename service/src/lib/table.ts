import Table from 'cli-table3';
import { printable } from './printable.ts';

const sides = ['top', 'bottom', 'left', 'right', 'mid'] as const;
const crossings = [
  'top-mid',
  'top-left',
  'top-right',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left-mid',
  'right-mid',
  'mid-mid',
] as const;
const noFrame = Object.fromEntries([...sides, ...crossings].map((name) => [name, '']));

/** Rows of text as aligned columns, without a frame. */
export function table(rows: string[][]): string {
  const lines = new Table({
    chars: { ...noFrame, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  lines.push(...rows.map((row) => row.map(printable)));
  return lines
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
