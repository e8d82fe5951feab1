/** An id as text: from 1 to 2^53 - 1, as JSON and JavaScript have it. Undefined for anything else. */
export function readId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
