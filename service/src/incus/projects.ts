import type { Api, CallOptions } from './transport/api.ts';

export interface Project {
  name: string;
  description: string;
  config: Record<string, string>;
  /** The URLs of the objects in the project. */
  used_by: string[] | null;
}

export type ProjectCalls = ReturnType<typeof projectCalls>;

export function projectCalls(api: Api) {
  return {
    get: (name: string, options?: CallOptions) =>
      api.find<Project>(['projects', name], {}, options),

    list: (options?: CallOptions) => api.get<Project[]>(['projects'], { recursion: 1 }, options),

    /** Creates a project. Throws `already_exists`. */
    create: (project: Pick<Project, 'name' | 'description' | 'config'>, options?: CallOptions) =>
      api.change({ method: 'POST', path: ['projects'], json: project }, options),

    /** Replaces the whole configuration, because even a PATCH of Incus 6.0 does so. */
    configure: (
      { name, description }: Project,
      config: Project['config'],
      options?: CallOptions,
    ): Promise<void> =>
      api.change(
        { method: 'PUT', path: ['projects', name], json: { description, config } },
        options,
      ),

    /** Deletes a project, which must be empty except for its default profile. */
    delete: (name: string, options?: CallOptions): Promise<void> =>
      api.change({ method: 'DELETE', path: ['projects', name] }, options),
  };
}
