/** A response to a request. A promised body is sent after the head, as for a wait. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Promise<string>;
}

/** "Return values" of Incus's REST API documentation; each of the three has every field. */
function envelope(fields: Record<string, unknown>): string {
  const empty = {
    type: 'sync',
    status: '',
    status_code: 0,
    operation: '',
    error_code: 0,
    error: '',
  };
  return `${JSON.stringify({ ...empty, metadata: null, ...fields })}\n`;
}

const json = { 'content-type': 'application/json' };
const success = { type: 'sync', status: 'Success', status_code: 200 };

/** The body of a synchronous response. */
export const syncBody = (metadata: unknown) => envelope({ ...success, metadata });

/** The body of an error. */
export const errorBody = (text: string, status: number) =>
  envelope({ type: 'error', error_code: status, error: text });

export function sync(metadata: unknown, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { ...json, ...headers }, body: syncBody(metadata) };
}

/** The response to a change that was made at once, without content. */
export const done = (): Answer => sync({});

/** The response to a create, with the URL of the new object. */
export function created(location: string): Answer {
  return { status: 201, headers: { ...json, location }, body: envelope(success) };
}

/** The response that a background operation was started. */
export function started(operation: { id: string }): Answer {
  const url = `/1.0/operations/${operation.id}`;
  const accepted = { type: 'async', status: 'Operation created', status_code: 100 };
  return {
    status: 202,
    headers: { ...json, location: url },
    body: envelope({ ...accepted, operation: url, metadata: operation }),
  };
}

export function failed(text: string, status: number): Answer {
  return {
    status,
    headers: { ...json, 'x-content-type-options': 'nosniff' },
    body: errorBody(text, status),
  };
}

/** Sends status 200 and the head at once, and the body when it is available. */
export function later(body: Promise<string>): Answer {
  return { status: 200, headers: { ...json, 'x-content-type-options': 'nosniff' }, body };
}
