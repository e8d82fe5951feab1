/** An id as text: from 1 to 2^53 - 1, as JSON and JavaScript have it. Undefined for anything else. */
export function readId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const unspeakable = /[\p{Cc}\p{Cs}]/u;

export const isUuid = (text: string) => uuidPattern.test(text);

/**
 * How a text that is not an id refers to an object: by UUID or by name. The result is empty if nothing can have that
 * name.
 */
export function readName(text: string): { name?: string; uuid?: string } {
  if (isUuid(text)) return { uuid: text };
  const isName = !/^\d+$/.test(text) && !unspeakable.test(text) && text.length <= 254;
  return isName ? { name: text } : {};
}
