import xterm, { type IBufferCell } from '@xterm/headless';

/** A part of a line in one style. */
export interface Span {
  text: string;
  /** The number of a colour of the terminal; the default colour has none. */
  color?: number;
  isBold?: true;
}

export type Line = Span[];

export interface Screen {
  write(data: string): Promise<void>;
  /** The lines that are visible now, without empty ones at the end. */
  lines(): Line[];
}

/** A terminal in memory, which understands escape sequences. */
export function createScreen(columns: number, rows: number): Screen {
  const options = { cols: columns, rows, convertEol: true, allowProposedApi: true };
  const terminal = new xterm.Terminal(options);
  return {
    write: (data) => new Promise((done) => terminal.write(data, done)),
    lines() {
      const top = terminal.buffer.active.viewportY;
      const lines = Array.from({ length: rows }, (_, at) => lineAt(top + at));
      return lines.slice(0, lines.findLastIndex((line) => line.length > 0) + 1);
    },
  };

  function lineAt(row: number): Line {
    const spans: Line = [];
    const line = terminal.buffer.active.getLine(row);
    for (let column = 0; line && column < columns; column += 1) {
      const cell = line.getCell(column);
      if (cell) append(spans, cell);
    }
    const last = spans.at(-1);
    if (last) last.text = last.text.trimEnd();
    return spans.filter(({ text }) => text !== '');
  }
}

function append(spans: Line, cell: IBufferCell): void {
  const text = cell.getChars() || (cell.getWidth() === 0 ? '' : ' ');
  const color = cell.isFgPalette() ? cell.getFgColor() : undefined;
  const isBold = cell.isBold() !== 0;
  const last = spans.at(-1);
  if (last && last.color === color && Boolean(last.isBold) === isBold) last.text += text;
  else spans.push({ text, ...(color !== undefined && { color }), ...(isBold && { isBold }) });
}
