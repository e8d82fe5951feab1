/** What Incus says no with: its words, and the status that stands in `error_code`. */
export interface Refusal extends Error {
  status: number;
}

/** Most of Incus's errors are 500, whatever they are about: give a status only where it has one. */
export function refusal(text: string, status = 500): Refusal {
  return Object.assign(new Error(text), { status });
}

/** A `throw` in the place of an expression. */
export function refuse(text: string, status = 500): never {
  throw refusal(text, status);
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}
