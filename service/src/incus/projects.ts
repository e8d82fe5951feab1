import type { Api, CallOptions } from './api.ts';

export interface Project {
  name: string;
  description: string;
  config: Record<string, string>;
  /** URLs of what it holds. */
  used_by: string[] | null;
}

export type ProjectCalls = ReturnType<typeof projectCalls>;

export function projectCalls(api: Api) {
  return {
    get: (name: string, options?: CallOptions) =>
      api.find<Project>(['projects', name], {}, options),

    /** Throws `already_exists`. */
    create: (project: Pick<Project, 'name' | 'description' | 'config'>, options?: CallOptions) =>
      api.change({ method: 'POST', path: ['projects'], json: project }, options),

    /** It must hold nothing but its default profile. */
    delete: (name: string, options?: CallOptions): Promise<void> =>
      api.change({ method: 'DELETE', path: ['projects', name] }, options),
  };
}
