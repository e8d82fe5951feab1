import { Problem } from '../../problems/problem.ts';

/** The longest body, in bytes. */
export const maxBytes = 256 * 1024;

/**
 * The cost of parsing, comparing and validating a body depends on its values, not on its bytes: 256
 * KiB of `[0,0,…` are 130,000 values. No request needs nearly as many as this.
 */
export const maxValues = 5000;
const deepest = 32;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
/** A brace is a bracket with this bit. */
const brace = 0x20;
const [openingBracket, closingBracket] = [0x5b, 0x5d];

/**
 * Scans a JSON text once, before it is parsed. Throws `body_too_large` (413) for too many values, and
 * `malformed_request` (400) for too much nesting.
 */
export function boundJson(text: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at);
    else if (code === comma) values += 1;
    else if ((code & ~brace) === openingBracket) {
      values += 1;
      depth += 1;
    } else if ((code & ~brace) === closingBracket) depth -= 1;
    if (values > maxValues) throw tooManyValues();
    if (depth > deepest) throw new Problem('malformed_request', tooDeep);
  }
}

const tooDeep = `The body is nested more than ${deepest} levels deep.`;

/** The position after the string that begins here; past the end if it is unterminated. */
function endOfText(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) {
    at += text.charCodeAt(at) === backslash ? 2 : 1;
  }
  return at;
}

/** The same limit for the fields of a URL-encoded form. */
export function boundFields(form: string): void {
  let fields = 1;
  for (let at = form.indexOf('&'); at !== -1; at = form.indexOf('&', at + 1)) {
    fields += 1;
    if (fields > maxValues) throw tooManyValues();
  }
}

/** A part costs more than a field of another form, and so do its headers. */
const mostParts = 1000;
const mostHeaderBytes = 128 * 1024;

/** The same limit for the parts of a multipart form (RFC 2046, section 5.1). */
export function boundParts(body: Buffer, boundary: string): void {
  const delimiter = `--${boundary}`;
  let [parts, headerBytes] = [0, 0];
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + 1)) {
    const end = body.indexOf('\r\n\r\n', at);
    parts += 1;
    headerBytes += (end === -1 ? body.length : end) - at;
    // The last one ends the form.
    if (parts > mostParts + 1 || headerBytes > mostHeaderBytes) {
      throw new Problem('body_too_large', tooManyParts);
    }
  }
}

const tooManyParts = `A multipart form is taken with at most ${mostParts} parts, and 128 KiB of headers of parts.`;

function tooManyValues(): Problem {
  const detail = `The body has more than the maximum of ${maxValues} values, counting fields and items of lists.`;
  return new Problem('body_too_large', detail);
}
