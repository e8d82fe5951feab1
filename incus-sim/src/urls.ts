/** A URL with its project, which is omitted for the default project. */
export function urlIn(project: string, path: string): string {
  return project === 'default' ? path : `${path}?project=${encodeURIComponent(project)}`;
}

export const instancePath = (name: string) => `/1.0/instances/${encodeURIComponent(name)}`;
