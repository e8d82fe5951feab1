/**
 * Copies a text that was cut out of a longer one and is to be kept. V8 stores such a part as a reference to the whole
 * text, which it would keep in memory for as long as the part.
 */
export const copyText = (part: string): string => Buffer.from(part).toString();
