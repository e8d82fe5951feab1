import { type BerthOptions, createBerth } from '@berth/client';
import { confirmation, confirming } from './confirmation.ts';

/** What requests say about who sends them, apart from the cookie. */
interface Caller {
  csrfToken?: string | undefined;
  projectId?: number | undefined;
}

let caller: Caller = {};

export function setCaller(changed: Caller): void {
  caller = { ...caller, ...changed };
}

interface ClientOptions extends Partial<BerthOptions> {
  /** Whether its requests are about the whole installation, which only administrators may ask about. */
  isAboutAll?: boolean;
}

/** A client for this session, which is about the chosen project. */
export function createClient({ isAboutAll = false, ...options }: ClientOptions = {}) {
  const fetch = confirming((request) => window.fetch(request), confirmation.ask);
  const client = createBerth({ url: window.location.origin, retries: 2, fetch, ...options });
  client.use({
    onRequest({ request, schemaPath }) {
      const { csrfToken, projectId } = caller;
      if (csrfToken && request.method !== 'GET') request.headers.set('Berth-CSRF', csrfToken);
      const isAboutProject = !isAboutAll && !schemaPath.startsWith('/v1/session');
      if (projectId && isAboutProject) request.headers.set('Berth-Project', String(projectId));
    },
  });
  return client;
}

export const berth = createClient();

/** For forms, whose errors are to be shown at once: nothing is sent again. */
export const oneAttempt = createClient({ retries: 0 });
