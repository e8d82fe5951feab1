const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a method is safe, which means that it only reads (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return safe.has(method);
}
