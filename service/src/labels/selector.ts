import {
  labelKeyPatterns,
  labelKeyRule,
  labelValuePattern,
  labelValueRule,
} from '@berth/contract/labels';

/** A condition on the labels of an object. `absent` and `notin` are also satisfied by an object without the label. */
export type Requirement =
  | { operator: 'in' | 'notin'; key: string; values: string[] }
  | { operator: 'exists' | 'absent'; key: string }
  | { operator: 'above' | 'below'; key: string; number: string };

/** All requirements must be satisfied; without any, every object is selected. */
export type Selector = Requirement[];

/** The selector is not valid. The message says where and why. */
export class InvalidSelector extends Error {
  override name = 'InvalidSelector';
}

interface Token {
  /** A symbol, `word`, or `end` of the selector. */
  kind: string;
  text: string;
  /** The position of its first character, counted from 1. */
  at: number;
}

const mostRequirements = 64;
const operators = '"in", "notin", "=", "==", "!=", ">" or "<"';

const keyFormats = labelKeyPatterns.map((pattern) => new RegExp(pattern));
const valueFormat = new RegExp(labelValuePattern);

/**
 * Parses a label selector in the grammar of Kubernetes (k8s.io/apimachinery/pkg/labels, `Parse`). Throws
 * `InvalidSelector`.
 */
export function parseSelector(text: string): Selector {
  const tokens = tokensOf(text);
  const selector: Selector = [];
  if (tokens.next().kind === 'end') return selector;
  do {
    selector.push(takeRequirement(tokens));
    if (selector.length > mostRequirements) {
      throw new InvalidSelector(
        `It has more than the maximum of ${mostRequirements} requirements.`,
      );
    }
  } while (tokens.takes(','));
  if (tokens.next().kind !== 'end') throw unexpected(tokens.next(), '"," or the end');
  return selector;
}

type Tokens = ReturnType<typeof tokensOf>;

function tokensOf(text: string) {
  const pattern = /(==|!=|[=!<>(),])|([^\s=!<>(),]+)/g;
  const all = Array.from(text.matchAll(pattern), ({ 0: found, 1: symbol, index }): Token => {
    return { kind: symbol ?? 'word', text: found, at: index + 1 };
  });
  const end: Token = { kind: 'end', text: '', at: text.length + 1 };
  let position = 0;
  const next = () => all[position] ?? end;
  return {
    next,
    take(): Token {
      const token = next();
      position += 1;
      return token;
    },
    /** Takes the next token if it is this symbol. */
    takes(kind: string): boolean {
      const isNext = next().kind === kind;
      if (isNext) position += 1;
      return isNext;
    },
  };
}

function takeRequirement(tokens: Tokens): Requirement {
  if (tokens.takes('!')) return { operator: 'absent', key: takeKey(tokens) };
  const key = takeKey(tokens);
  if (isAtEnd(tokens)) return { operator: 'exists', key };
  const operator = tokens.take();
  switch (operator.kind === 'word' ? operator.text : operator.kind) {
    case 'in':
      return { operator: 'in', key, values: takeValues(tokens) };
    case 'notin':
      return { operator: 'notin', key, values: takeValues(tokens) };
    case '=':
    case '==':
      return { operator: 'in', key, values: [takeValue(tokens)] };
    case '!=':
      return { operator: 'notin', key, values: [takeValue(tokens)] };
    case '>':
      return { operator: 'above', key, number: takeNumber(tokens) };
    case '<':
      return { operator: 'below', key, number: takeNumber(tokens) };
    default:
      throw unexpected(operator, `${operators}, "," or the end`);
  }
}

/** Whether a requirement ends here. */
function isAtEnd(tokens: Tokens): boolean {
  const { kind } = tokens.next();
  return kind === ',' || kind === 'end';
}

function takeKey(tokens: Tokens): string {
  const token = tokens.take();
  if (token.kind !== 'word') throw unexpected(token, 'a key');
  if (!keyFormats.some((format) => format.test(token.text)))
    throw invalid(token, 'key', labelKeyRule);
  return token.text;
}

/** The value after an operator, which may be empty. */
function takeValue(tokens: Tokens): string {
  if (isAtEnd(tokens)) return '';
  return takeWord(tokens, 'a value');
}

function takeWord(tokens: Tokens, what: string): string {
  const token = tokens.take();
  if (token.kind !== 'word') throw unexpected(token, what);
  if (!valueFormat.test(token.text)) throw invalid(token, 'value', labelValueRule);
  return token.text;
}

function takeNumber(tokens: Tokens): string {
  const token = tokens.next();
  const number = takeWord(tokens, 'a whole number');
  if (!/^[0-9]+$/.test(number)) throw unexpected(token, 'a whole number');
  return number;
}

/** The values in parentheses. Between two commas, and next to a parenthesis, a value may be empty: `(a,)`. */
function takeValues(tokens: Tokens): string[] {
  if (!tokens.takes('(')) throw unexpected(tokens.next(), '"("');
  if (tokens.next().kind === ')') throw unexpected(tokens.next(), 'a value');
  const values = new Set<string>();
  do {
    const { kind } = tokens.next();
    values.add(kind === ',' || kind === ')' ? '' : takeWord(tokens, 'a value'));
  } while (tokens.takes(','));
  if (!tokens.takes(')')) throw unexpected(tokens.next(), '"," or ")"');
  return [...values];
}

const mostShown = 40;

function shown(text: string): string {
  return JSON.stringify(text.length > mostShown ? `${text.slice(0, mostShown)}…` : text);
}

function unexpected({ kind, text, at }: Token, wanted: string): InvalidSelector {
  const found = kind === 'end' ? 'the end' : shown(text);
  return new InvalidSelector(`At character ${at}, it must have ${wanted}, not ${found}.`);
}

function invalid({ text, at }: Token, what: string, rule: string): InvalidSelector {
  return new InvalidSelector(
    `At character ${at}, the ${what} ${shown(text)} is not valid. ${rule}`,
  );
}
