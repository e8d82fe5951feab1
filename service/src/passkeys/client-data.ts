/**
 * The challenge in the response of a browser (WebAuthn, "CollectedClientData"); undefined if it is malformed. Its
 * signature is not checked here.
 */
export function challengeOf(clientDataJSON: string): string | undefined {
  const data = parse(Buffer.from(clientDataJSON, 'base64url').toString());
  if (typeof data !== 'object' || data === null || !('challenge' in data)) return undefined;
  return typeof data.challenge === 'string' ? data.challenge : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The data is not trusted.
    return undefined;
  }
}
