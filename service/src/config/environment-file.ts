import type { Environment } from './settings.ts';

/** The content of a file of `EnvironmentFile=`, as systemd reads it. */
export interface EnvironmentFile {
  variables: Environment;
  /** Sentences about what systemd ignores, or reads differently from a shell. */
  warnings: string[];
}

type State =
  | 'before key'
  | 'key'
  | 'before value'
  | 'value'
  | 'escape'
  | 'single quotes'
  | 'double quotes'
  | 'double quotes, escape'
  | 'comment'
  | 'comment, escape';

interface Reading extends EnvironmentFile {
  state: State;
  line: number;
  /** The number of the line with the key. */
  begun: number;
  key: string;
  value: string;
  /** The length of the beginning of the value up to which it was quoted or escaped, and is not trimmed. */
  kept: number;
}

/**
 * Reads such a file as systemd does (src/basic/env-file.c): variables are not expanded, a comment needs a separate
 * line, and quotes can begin anywhere before the unquoted text of a value.
 */
export function readEnvironmentFile(text: string): EnvironmentFile {
  const reading: Reading = {
    variables: {},
    warnings: [],
    state: 'before key',
    line: 1,
    begun: 1,
    key: '',
    value: '',
    kept: 0,
  };
  for (const c of text) {
    steps[reading.state](reading, c);
    if (c === '\n') reading.line += 1;
  }
  end(reading);
  const { variables, warnings } = reading;
  return { variables, warnings };
}

const isLineEnd = (c: string) => c === '\n' || c === '\r';
const isSpace = (c: string) => ' \t\n\r'.includes(c);
const isName = (key: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key);

const steps: Record<State, (reading: Reading, c: string) => void> = {
  'before key'(reading, c) {
    if (c === '#' || c === ';') reading.state = 'comment';
    else if (!isSpace(c)) Object.assign(reading, { state: 'key', key: c, begun: reading.line });
  },
  key(reading, c) {
    if (isLineEnd(c)) withoutValue(reading);
    else if (c === '=') reading.state = 'before value';
    else reading.key += c;
  },
  'before value'(reading, c) {
    if (isLineEnd(c)) assign(reading);
    else if (c === "'") reading.state = 'single quotes';
    else if (c === '"') reading.state = 'double quotes';
    else if (c === '\\') reading.state = 'escape';
    else if (!isSpace(c)) {
      reading.state = 'value';
      reading.value += c;
    }
  },
  value(reading, c) {
    if (isLineEnd(c)) assign(reading);
    else if (c === '\\') Object.assign(reading, { state: 'escape', kept: reading.value.length });
    else reading.value += c;
  },
  escape(reading, c) {
    reading.state = 'value';
    if (!isLineEnd(c)) reading.value += c;
  },
  'single quotes'(reading, c) {
    if (c === "'") reading.state = 'before value';
    else keep(reading, c);
  },
  'double quotes'(reading, c) {
    if (c === '"') reading.state = 'before value';
    else if (c === '\\') reading.state = 'double quotes, escape';
    else keep(reading, c);
  },
  'double quotes, escape'(reading, c) {
    reading.state = 'double quotes';
    if ('"\\`$'.includes(c)) keep(reading, c);
    else if (c !== '\n') keep(reading, `\\${c}`);
  },
  comment(reading, c) {
    if (c === '\\') reading.state = 'comment, escape';
    else if (isLineEnd(c)) reading.state = 'before key';
  },
  'comment, escape'(reading, c) {
    reading.state = isLineEnd(c) ? 'before key' : 'comment';
    if (!isLineEnd(c)) return;
    reading.warnings.push(
      `Line ${reading.line} is a comment that ends in "\\": systemd before 254 takes the next line for a part of it.`,
    );
  },
};

function keep(reading: Reading, text: string): void {
  reading.value += text;
  reading.kept = reading.value.length;
}

function assign(reading: Reading): void {
  const { value, kept, begun, variables, warnings } = reading;
  const name = reading.key.trimEnd();
  const plain = value.slice(kept).trimEnd();
  if (isName(name)) {
    variables[name] = value.slice(0, kept) + plain;
    if (/(^|\s)#/.test(plain)) {
      warnings.push(`${name} has a "#" in it: a comment needs a separate line.`);
    }
    if (/\$[\w{(]/.test(plain))
      warnings.push(`${name} has a "$" in it: variables are not expanded.`);
  } else {
    const wayOut = name.startsWith('export ') ? ' Leave "export" out: no shell reads this.' : '';
    warnings.push(`Line ${begun} is ignored: "${name}" is not the name of a variable.${wayOut}`);
  }
  Object.assign(reading, { state: 'before key', key: '', value: '', kept: 0 });
}

function withoutValue(reading: Reading): void {
  reading.warnings.push(`Line ${reading.begun} is ignored: it has no "=".`);
  Object.assign(reading, { state: 'before key', key: '' });
}

function end(reading: Reading): void {
  const { state, begun, key, warnings } = reading;
  if (state.includes('quotes')) {
    warnings.push(`The quotes that begin after ${key.trimEnd()}= in line ${begun} do not end.`);
  }
  if (state === 'key') withoutValue(reading);
  else if (state !== 'before key' && !state.startsWith('comment')) assign(reading);
}
