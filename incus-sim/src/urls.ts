/** A URL with its project, which the default one has none of. */
export function urlIn(project: string, path: string): string {
  return project === 'default' ? path : `${path}?project=${encodeURIComponent(project)}`;
}

export const instancePath = (name: string) => `/1.0/instances/${encodeURIComponent(name)}`;
