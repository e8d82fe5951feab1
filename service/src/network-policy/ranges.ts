import ipaddr from 'ipaddr.js';

export type Family = 4 | 6;

/** Addresses of one family as numbers, both ends included. */
export interface Range {
  from: bigint;
  to: bigint;
}

/** Ranges in order that neither overlap nor are adjacent. */
export type Ranges = readonly Range[];

const bits = { 4: 32, 6: 128 } as const;

export const familyOf = (text: string): Family => (text.includes(':') ? 6 : 4);

/**
 * The range of an address or a network such as `10.0.0.0/8`, ignoring host bits. Throws if the text
 * is neither.
 */
export function rangeOf(text: string): Range {
  const family = familyOf(text);
  const [address = '', length = String(bits[family])] = text.split('/');
  const hosts = BigInt(bits[family] - Number(length));
  const from = (numberOf(address) >> hosts) << hosts;
  return { from, to: from + (1n << hosts) - 1n };
}

/** The union of those that belong to one address family. */
export function rangesOf(texts: readonly string[], family: Family): Ranges {
  return union(texts.filter((text) => familyOf(text) === family).map(rangeOf));
}

export function union(...sets: (Range | Ranges)[]): Ranges {
  const sorted = sets.flat().sort((a, b) => (a.from < b.from ? -1 : 1));
  const merged: Range[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (!last || range.from > last.to + 1n) merged.push({ ...range });
    else if (range.to > last.to) last.to = range.to;
  }
  return merged;
}

export function without(set: Ranges, taken: Ranges): Ranges {
  let left = [...set];
  for (const { from, to } of taken) {
    left = left.flatMap((range) => {
      if (to < range.from || from > range.to) return [range];
      const before = { from: range.from, to: from - 1n };
      const after = { from: to + 1n, to: range.to };
      return [before, after].filter((part) => part.from <= part.to);
    });
  }
  return left;
}

export const within = (set: Ranges, other: Ranges): Ranges => without(set, without(set, other));

export const includes = (set: Ranges, { from, to }: Range): boolean =>
  set.some((range) => range.from <= from && range.to >= to);

/**
 * The notation of Incus: an address, or the first and the last one (documentation, "Network ACLs").
 */
export function textOf({ from, to }: Range, family: Family): string {
  const first = addressOf(from, family);
  return from === to ? first : `${first}-${addressOf(to, family)}`;
}

function numberOf(address: string): bigint {
  const bytes = ipaddr.parse(address).toByteArray();
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

function addressOf(value: bigint, family: Family): string {
  const hex = value.toString(16).padStart(bits[family] / 4, '0');
  return ipaddr.fromByteArray([...Buffer.from(hex, 'hex')]).toString();
}
