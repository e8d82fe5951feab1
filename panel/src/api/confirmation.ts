type Fetch = (request: Request) => Promise<Response>;

/** The question whether it is still the same person, for what the service refuses without a recent proof of it. */
export function createConfirmation() {
  let open: PromiseWithResolvers<boolean> | undefined;
  const listeners = new Set<() => void>();

  function set(changed: typeof open): void {
    open = changed;
    for (const listener of listeners) listener();
  }

  return {
    isAsked: () => open !== undefined,
    /** Resolves to whether the person has proven it. Requests at the same time share one question. */
    ask(): Promise<boolean> {
      if (!open) set(Promise.withResolvers<boolean>());
      return open?.promise ?? Promise.resolve(false);
    },
    answer(isConfirmed: boolean): void {
      open?.resolve(isConfirmed);
      set(undefined);
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const confirmation = createConfirmation();

/** Sends a request again once the person has proven that it is them, if the service asks for that. */
export function confirming(fetch: Fetch, ask: () => Promise<boolean>): Fetch {
  return async (request) => {
    // A copy, because the body of a request can be read only once.
    const response = await fetch(request.clone());
    if (!(await isConfirmationRequired(response))) return response;
    return (await ask()) ? await fetch(request) : response;
  };
}

async function isConfirmationRequired(response: Response): Promise<boolean> {
  const isProblem = response.headers.get('Content-Type')?.startsWith('application/problem+json');
  if (response.status !== 403 || !isProblem) return false;
  const { code } = (await response.clone().json()) as { code?: unknown };
  return code === 'confirmation_required';
}
