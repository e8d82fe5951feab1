/** An error of Incus: its message, and the status in `error_code`. */
export interface Refusal extends Error {
  status: number;
}

/** Most errors of Incus have the status 500; only others need one here. */
export function refusal(text: string, status = 500): Refusal {
  return Object.assign(new Error(text), { status });
}

/** `throw` as an expression. */
export function refuse(text: string, status = 500): never {
  throw refusal(text, status);
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}
