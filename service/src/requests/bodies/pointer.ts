/** The part of a JSON pointer for a field (RFC 6901, section 3). */
export function pointerPart(name: string): string {
  return shortFieldName(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A name that is longer than that of any field is cut: it may be a secret, since `curl -d @FILE` sends a file as a name. */
export function shortFieldName(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}
