/** An answer to a request. A promised body comes after the head, as that of a wait does. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Promise<string>;
}

/** "Return values" of Incus's REST API documentation; every field is there in each of the three. */
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

/** The body of an answer that comes at once. */
export const syncBody = (metadata: unknown) => envelope({ ...success, metadata });

/** The body of a refusal. */
export const errorBody = (text: string, status: number) =>
  envelope({ type: 'error', error_code: status, error: text });

export function sync(metadata: unknown, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { ...json, ...headers }, body: syncBody(metadata) };
}

/** A change that was made at once and answers nothing. */
export const done = (): Answer => sync({});

/** Something was made that has this URL. */
export function created(location: string): Answer {
  return { status: 201, headers: { ...json, location }, body: envelope(success) };
}

/** A background operation was started. */
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

/** Status 200 and its head at once, the body when it is there. */
export function later(body: Promise<string>): Answer {
  return { status: 200, headers: { ...json, 'x-content-type-options': 'nosniff' }, body };
}
