import type { Line, Span } from './screen.ts';
import { type Recording, size } from './session.ts';

const cell = { width: 8.4, height: 18, font: 14 };
const margin = 16;
/** The colours of the terminal by number; others are shown as the default. */
const colors: Record<number, string> = {
  ...{ 1: '#f7768e', 2: '#9ece6a', 3: '#e0af68', 4: '#7aa2f7', 5: '#bb9af7', 6: '#7dcfff' },
  ...{ 8: '#737aa2', 9: '#f7768e', 10: '#9ece6a', 11: '#e0af68', 12: '#7aa2f7', 14: '#7dcfff' },
};

/**
 * An animated picture of a session. It is a film strip that moves by a frame at a time. Each different line is in it once.
 * Its description has the session as text: for those who can't see it, and for the check.
 */
export function toSvg({ frames, transcript }: Recording): string {
  const lines = new Map<string, number>();
  const numberOf = (line: Line) => {
    const key = spans(line);
    if (!lines.has(key)) lines.set(key, lines.size);
    return lines.get(key);
  };
  const width = size.columns * cell.width + 2 * margin;
  const height = size.rows * cell.height + 2 * margin;
  const strip = frames.map(({ lines: shown }, at) => {
    const uses = shown.flatMap((line, row) =>
      line.length === 0 ? [] : [`<use href="#l${numberOf(line)}" y="${row * cell.height}"/>`],
    );
    return `<g transform="translate(${round(at * width)})">${uses.join('')}</g>`;
  });
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let past = 0;
  const steps = frames.map(({ ms }, at) => {
    const step = `${round((past / total) * 100)}%{transform:translateX(-${round(at * width)}px)}`;
    past += ms;
    return step;
  });
  const end = round((frames.length - 1) * width);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${height}" role="img" aria-labelledby="t d">`,
    '<title id="t">A session of berth in a terminal</title>',
    `<desc id="d">${escaped(transcript.join('\n'))}</desc>`,
    '<style>',
    `text{font:${cell.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c0caf5;white-space:pre}`,
    ...Object.entries(colors).map(([number, color]) => `.c${number}{fill:${color}}`),
    '.b{font-weight:bold}',
    `@keyframes film{${steps.join('')}100%{transform:translateX(-${end}px)}}`,
    `.film{animation:film ${round(total / 1000)}s steps(1,end) infinite}`,
    `@media (prefers-reduced-motion:reduce){.film{animation:none;transform:translateX(-${end}px)}}`,
    '</style>',
    '<defs>',
    ...[...lines].map(([content, number]) => `<text id="l${number}">${content}</text>`),
    '</defs>',
    `<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>`,
    `<svg x="${margin}" y="${margin}" width="${round(width - 2 * margin)}" height="${height - 2 * margin}">`,
    `<g transform="translate(0,${cell.font})"><g class="film">${strip.join('\n')}</g></g>`,
    '</svg>',
    '</svg>',
    '',
  ].join('\n');
}

function spans(line: Line): string {
  let column = 0;
  return line
    .map((span) => {
      const x = round(column * cell.width);
      const length = [...span.text].length;
      column += length;
      // The width makes the columns of a table line up in every font.
      return `<tspan x="${x}" textLength="${round(length * cell.width)}"${styleOf(span)}>${escaped(span.text)}</tspan>`;
    })
    .join('');
}

function styleOf({ color, isBold }: Span): string {
  const known = color !== undefined && color in colors ? [`c${color}`] : [];
  const classes = [...known, ...(isBold ? ['b'] : [])];
  return classes.length > 0 ? ` class="${classes.join(' ')}"` : '';
}

const round = (value: number) => Number(value.toFixed(2));

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
