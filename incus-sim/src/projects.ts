import { created, done, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import { addProject, type Config, type Project } from './model.ts';
import { refuse } from './refusal.ts';
import { jsonBody, part, type Routes } from './router.ts';
import { instancePath, urlIn } from './urls.ts';

interface NewProject {
  name: string;
  description?: string;
  config?: Config;
}

export function projectRoutes({ model }: Engine): Routes {
  return {
    'GET /1.0/projects/:name': (call) =>
      sync(view(model.projects.get(part(call, 'name')) ?? refuse('Project not found', 404))),

    'GET /1.0/projects': () => sync(Array.from(model.projects.values(), view)),

    'POST /1.0/projects': async (call) => {
      const { name, description = '', config = {} } = await jsonBody<NewProject>(call);
      if (name.includes('/')) refuse('Project names may not contain slashes', 400);
      refuseUnknown(config);
      if (model.projects.has(name)) {
        refuse(
          `Failed creating project "${name}": Failed adding database record: Failed to create ` +
            '"projects" entry: UNIQUE constraint failed: projects.name',
        );
      }
      addProject(model, { name, description, config });
      return created(`/1.0/projects/${name}`);
    },

    'PUT /1.0/projects/:name': async (call) => {
      const project = model.projects.get(part(call, 'name')) ?? refuse('Project not found', 404);
      const { description = '', config = {} } = await jsonBody<NewProject>(call);
      refuseUnknown(config);
      Object.assign(project, { description, config });
      return done();
    },

    'DELETE /1.0/projects/:name': (call) => {
      const name = part(call, 'name');
      const project =
        model.projects.get(name) ?? refuse(`Fetch project "${name}": Project not found`, 404);
      if (project.instances.size > 0 || project.images.size > 0) {
        refuse('Only empty projects can be removed.');
      }
      model.projects.delete(name);
      return done();
    },
  };
}

function refuseUnknown(config: Config): void {
  const unknown = Object.keys(config).find(
    (key) => !/^(features|limits|restricted|user)\b/.test(key),
  );
  if (unknown !== undefined) refuse(`Invalid project configuration key "${unknown}"`, 400);
}

function view({ name, description, config, instances, images }: Project) {
  const paths = [
    ...Array.from(instances.keys(), instancePath),
    ...Array.from(images.keys(), (fingerprint) => `/1.0/images/${fingerprint}`),
    '/1.0/profiles/default',
  ];
  return { name, description, config, used_by: paths.map((path) => urlIn(name, path)) };
}
