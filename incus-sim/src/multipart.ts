import type { Readable } from 'node:stream';

interface Part {
  name: string;
  fileName: string;
}

/** Calls `onBytes` with the content of each part as it arrives, and stores nothing. */
export async function readParts(
  body: Readable,
  boundary: string,
  onBytes: (part: Part, bytes: Buffer) => void,
): Promise<void> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter has no line before it.
  let rest: Buffer = Buffer.from('\r\n');
  let part: Part | undefined;
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let at = rest.indexOf(delimiter); at >= 0; at = rest.indexOf(delimiter)) {
      const headEnd = rest.indexOf('\r\n\r\n', at + delimiter.length);
      if (part) onBytes(part, rest.subarray(0, at));
      part = undefined;
      // The end, or an incomplete header.
      if (headEnd < 0) {
        rest = rest.subarray(at);
        break;
      }
      part = partOf(rest.toString('utf8', at, headEnd));
      rest = rest.subarray(headEnd + 4);
    }
    const safe = part ? Math.max(0, rest.length - delimiter.length) : 0;
    if (part && safe > 0) onBytes(part, rest.subarray(0, safe));
    rest = rest.subarray(safe);
  }
}

function partOf(head: string): Part {
  const name = /[; ]name="([^"]*)"/.exec(head)?.[1] ?? '';
  return { name, fileName: /filename="([^"]*)"/.exec(head)?.[1] ?? '' };
}
