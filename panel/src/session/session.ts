import { type components, items } from '@berth/client';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { installation } from '../admin/client.ts';
import { berth, oneAttempt, setCaller } from '../api/berth.ts';
import { all } from '../api/queries.ts';
import { isSignedOut } from '../api/words.ts';
import { type Project, projectToShow } from './projects.ts';

/** Somebody who is signed in, the projects that they can choose from, and the chosen one. */
export interface Session {
  user: components['schemas']['CurrentSession']['user'];
  projects: Project[];
  project: Project | undefined;
}

const chosenKey = 'berth-project';

/** The session of the browser; `null` without one. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: readSession,
});

async function readSession(): Promise<Session | null> {
  try {
    // Only the first says whether the second is needed, for which all pages would wait.
    const [{ data }, visible] = await Promise.all([
      berth.GET('/v1/session'),
      all(items(installation, '/v1/projects')),
    ]);
    setCaller({ csrfToken: data.csrf_token });
    const projects = projectsOf(data, visible);
    const project = projectToShow(projects, localStorage.getItem(chosenKey));
    setCaller({ projectId: project?.id });
    return { user: data.user, projects, project };
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

/** Administrators can choose each project of the installation. */
function projectsOf(
  { user, projects }: components['schemas']['CurrentSession'],
  visible: components['schemas']['Project'][],
): Project[] {
  return user.is_admin ? visible.map(({ id, name }) => ({ id, name })) : projects;
}

export async function signIn(email: string, password: string): Promise<void> {
  await oneAttempt.POST('/v1/session', { body: { email, password } });
}

/** Proves that it is still the same person. */
export async function confirmSession(password: string): Promise<void> {
  await oneAttempt.POST('/v1/session/confirm', { body: { password } });
}

type PasswordChange = components['schemas']['PasswordChange'];

/** Other sessions end. Returns how many there were, and how many tokens stay valid. */
export async function changePassword(body: PasswordChange) {
  return (await oneAttempt.PUT('/v1/session/password', { body })).data;
}

export async function signOut(): Promise<void> {
  await berth.DELETE('/v1/session');
  forgetCaller();
}

/** Ends all sessions of the person, and revokes all their tokens if that is asked for. */
export async function signOutEverywhere(tokens: boolean): Promise<void> {
  await berth.DELETE('/v1/sessions', { params: { query: { tokens } } });
  forgetCaller();
}

const forgetCaller = () => setCaller({ csrfToken: undefined, projectId: undefined });

/** Reads everything again for another project, on the same page. */
export async function switchProject(queries: QueryClient, project: Project): Promise<void> {
  chooseProject(project);
  await queries.invalidateQueries(sessionQuery);
  await queries.resetQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' });
}

/** The choice is kept in this browser, and is not a secret. */
export function chooseProject({ id }: Project): void {
  localStorage.setItem(chosenKey, String(id));
}
