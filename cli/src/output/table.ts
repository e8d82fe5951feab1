import Table from 'cli-table3';

const frame = [
  ...['top', 'bottom', 'left', 'right', 'mid', 'top-mid', 'top-left', 'top-right', 'bottom-mid'],
  ...['bottom-left', 'bottom-right', 'left-mid', 'right-mid', 'mid-mid'],
];
const noFrame = Object.fromEntries(frame.map((name) => [name, '']));

/** Rows of text as aligned columns, without a frame, as other programs for terminals print them. */
export function table(rows: readonly (readonly string[])[]): string {
  const lines = new Table({
    chars: { ...noFrame, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  lines.push(...rows.map((row) => [...row]));
  return lines
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
