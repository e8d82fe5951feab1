/**
 * Sends a request, and waits up to 60 seconds for the end of its operation. Returns the status and the JSON of the
 * response; status 0 if there was no response.
 */
export async function call(
  { url, token }: { url: string; token: string },
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; answer: { id?: number } }> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body && { 'content-type': 'application/json' }),
    prefer: 'wait=60',
  };
  const init = { method, headers, body: body ? JSON.stringify(body) : null };
  try {
    const response = await fetch(`${url}${path}`, init);
    const answer = response.status === 204 ? {} : await response.json();
    return { status: response.status, answer: answer as { id?: number } };
  } catch (error) {
    if (error instanceof TypeError) return { status: 0, answer: {} };
    throw error;
  }
}
