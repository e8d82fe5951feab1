import { gunzipSync } from 'node:zlib';

/** How cloud-init recognises a format, after blanks and in any case (its `INCLUSION_TYPES_MAP`). */
const headers = '#cloud-config|#!|#include|#cloud-boothook|#part-handler|## template: jinja'.split(
  '|',
);
/** It looks for this one anywhere in the first bytes. */
const ofMessage = 'mime-version:';
const startBytes = 4096;

/** The first characters of all gzip in base64. */
const gzipStart = /^\s*H4sI/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const mostUnpackedBytes = 2 ** 20;

const unknownFormat =
  'Must begin with #cloud-config, #!, #include, #cloud-boothook, #part-handler or ## template: jinja, be a multi-part ' +
  'message with the header MIME-Version, or be gzip of one of these as base64.';

/** The bytes that cloud-init gets, or why it could not use them, as a sentence for the client. */
export type DecodedUserData = { content: Buffer } | { error: string };

/** Unpacks gzip in base64, so that cloud-init gets exactly what was checked. */
export function decodeUserData(text: string): DecodedUserData {
  if (gzipStart.test(text)) return unpack(text);
  const content = Buffer.from(text);
  if (isKnown(content)) return { content };
  const inBase64 = fromBase64(text);
  if (inBase64 && isKnown(inBase64)) {
    return { error: 'Is text in base64. Send the text itself, or gzip of it as base64.' };
  }
  return { error: unknownFormat };
}

function unpack(text: string): DecodedUserData {
  const packed = fromBase64(text);
  if (!packed) {
    const error =
      'Begins like gzip in base64, but is not valid base64. Encode it again, such as with `gzip -c FILE | base64`.';
    return { error };
  }
  try {
    const content = gunzipSync(packed, { maxOutputLength: mostUnpackedBytes });
    return isKnown(content)
      ? { content }
      : { error: `Its gzip has no user data. ${unknownFormat}` };
  } catch (error) {
    return { error: isTooLong(error) ? tooLong : brokenGzip };
  }
}

const tooLong =
  'Has more than 1 MiB when it is unpacked. Make it shorter, such as by an #include of a URL.';
const brokenGzip =
  'Its gzip is broken or incomplete. Compress it again, such as with `gzip -c FILE | base64`.';

const isTooLong = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

/** Lines may be broken, as `base64` breaks them. Undefined if it is not valid. */
function fromBase64(text: string): Buffer | undefined {
  const characters = text.replaceAll(/[ \t\r\n]+/g, '');
  return base64.test(characters) ? Buffer.from(characters, 'base64') : undefined;
}

function isKnown(content: Buffer): boolean {
  const start = content.toString('latin1', 0, startBytes).toLowerCase();
  if (start.includes(ofMessage)) return true;
  return headers.some((header) => start.trimStart().startsWith(header));
}
