import { createHash } from 'node:crypto';
import { type Answer, created, done, started, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import {
  type Image,
  type InstanceKind,
  imagesOf,
  type Project,
  removeVolume,
  volumesOf,
} from './model.ts';
import { readParts } from './multipart.ts';
import { refuse } from './refusal.ts';
import { type Call, jsonBody, part, type Routes } from './router.ts';
import { urlIn } from './urls.ts';

interface Copy {
  source: { type: string; server: string; alias: string; image_type?: InstanceKind };
}

export function imageRoutes(engine: Engine): Routes {
  const { model, events } = engine;
  const owner = (call: Call) => imagesOf(model, call.project);
  return {
    'GET /1.0/images/aliases/:alias': (call) =>
      sync(owner(call).aliases.get(part(call, 'alias')) ?? refuse('Image alias not found', 404)),

    'POST /1.0/images/aliases': async (call) => {
      const { name, target } = await jsonBody<{ name: string; target: string }>(call);
      const { images, aliases } = owner(call);
      if (aliases.has(name)) refuse(`Alias "${name}" already exists`, 409);
      const image = images.get(target) ?? refuse('Image not found', 404);
      aliases.set(name, { name, description: '', target, type: image.type });
      const source = `/1.0/images/aliases/${name}`;
      const { project } = call;
      events.lifecycle({ project, action: 'image-alias-created', source, context: { target } });
      return created(urlIn(project, source));
    },

    'DELETE /1.0/images/aliases/:alias': (call) => {
      const name = part(call, 'alias');
      if (!owner(call).aliases.delete(name)) refuse('Image alias not found', 404);
      const source = `/1.0/images/aliases/${name}`;
      events.lifecycle({ project: call.project, action: 'image-alias-deleted', source });
      return done();
    },

    'POST /1.0/images': (call) =>
      /^multipart\//.test(call.headers['content-type'] ?? '')
        ? upload(engine, call)
        : copy(engine, call),

    'GET /1.0/images/:fingerprint': (call) => {
      const fingerprint = part(call, 'fingerprint');
      const { images, aliases } = owner(call);
      const image = images.get(fingerprint) ?? refuse(`Image "${fingerprint}" not found`, 404);
      const names = [...aliases.values()].filter(({ target }) => target === fingerprint);
      return sync(imageView(image, call.project, names));
    },

    'DELETE /1.0/images/:fingerprint': (call) => remove(engine, call),
  };
}

/** Keeps only its size and hash. Halfway, nothing is stored. */
async function upload({ model, operations, events }: Engine, call: Call): Promise<Answer> {
  const [, boundary = ''] = /boundary=([^;]+)/.exec(call.headers['content-type'] ?? '') ?? [];
  const hash = createHash('sha256');
  const parts = new Map<string, string>();
  let size = 0;
  await readParts(call.body, boundary, ({ name, fileName }, bytes) => {
    parts.set(name, fileName);
    hash.update(bytes);
    size += bytes.length;
  });
  const project = imagesOf(model, call.project);
  const type = parts.has('rootfs.img') ? 'virtual-machine' : 'container';
  const fileName = parts.get(type === 'container' ? 'rootfs' : 'rootfs.img');
  const operation = operations.start(
    { project: call.project, description: 'Downloading image', fault: call.fault },
    async (work) => {
      if (!parts.has('metadata') || fileName === undefined) refuse('Invalid multipart image');
      work.reach('half');
      const image = newImage({ fingerprint: hash.digest('hex'), type, size, fileName });
      addImage(project, image);
      work.metadata({ fingerprint: image.fingerprint, size: String(size) });
      reportImage(events, call.project, 'image-created', image, { type });
    },
  );
  return started(operation);
}

/**
 * Copies from a simplestreams server, which only the faults define. Halfway, half of it has been
 * downloaded.
 */
async function copy(engine: Engine, call: Call): Promise<Answer> {
  const { model, operations, events, faults, timing } = engine;
  const { source } = await jsonBody<Copy>(call);
  const { server, alias, image_type: type = 'container' } = source;
  const project = imagesOf(model, call.project);
  const operation = operations.start(
    { project: call.project, description: 'Downloading image', fault: call.fault },
    async (work) => {
      const { host, hostname } = new URL(server);
      if (!faults.imageServers.has(host)) {
        refuse(
          'Failed getting remote image info: Failed getting image: Failed parsing stream: ' +
            `Get "${server}/streams/v1/index.json": lookup ${hostname}: no such host`,
        );
      }
      for (const percent of [50, 100]) {
        await work.pause(timing.download / 2);
        const text = `rootfs: ${percent}% (10.00MB/s)`;
        const progress = { stage: 'download', percent: String(percent), speed: '10000000' };
        work.metadata({ download_progress: text, progress });
        if (percent === 50) work.reach('half');
      }
      const fingerprint = createHash('sha256').update(`${server} ${alias} ${type}`).digest('hex');
      const size = 150 * 2 ** 20;
      const image = newImage({ fingerprint, type, size, fileName: 'rootfs.squashfs' });
      if (!project.images.has(fingerprint)) addImage(project, image);
      work.metadata({ fingerprint, size: String(size) });
      reportImage(events, call.project, 'image-created', image, { type });
    },
  );
  return started(operation);
}

function newImage(given: Pick<Image, 'fingerprint' | 'type' | 'size' | 'fileName'>): Image {
  const now = new Date();
  return { ...given, properties: {}, createdAt: now, uploadedAt: now };
}

function addImage({ images }: Project, image: Image): void {
  if (images.has(image.fingerprint)) refuse('Image with same fingerprint already exists', 409);
  images.set(image.fingerprint, image);
}

/**
 * An image with an alias that exists from the start, without an upload. By default, its containers start without
 * cloud-init, like those of images that Berth has built.
 */
export function plantImage(
  project: Project,
  alias: string,
  { byCloudInit = false }: { byCloudInit?: boolean } = {},
): string {
  const type = 'container';
  const fingerprint = createHash('sha256').update(`${project.name} ${alias}`).digest('hex');
  const image = newImage({ fingerprint, type, size: 300 * 2 ** 20, fileName: 'rootfs.tar' });
  const properties = {
    description: `${alias}, simulated`,
    ...(!byCloudInit && { 'berth.first-start': '1' }),
  };
  project.images.set(fingerprint, { ...image, properties });
  project.aliases.set(alias, { name: alias, description: '', target: fingerprint, type });
  return fingerprint;
}

/** Halfway, nothing has changed. */
function remove({ model, operations, events }: Engine, call: Call): Answer {
  const project = imagesOf(model, call.project);
  const image = project.images.get(part(call, 'fingerprint')) ?? refuse('Image not found', 404);
  const { fingerprint } = image;
  const operation = operations.start(
    {
      project: call.project,
      description: 'Deleting image',
      resources: { images: [urlIn(call.project, `/1.0/images/${fingerprint}`)] },
      fault: call.fault,
    },
    async (work) => {
      work.reach('half');
      project.images.delete(fingerprint);
      for (const [name, { target }] of project.aliases) {
        if (target === fingerprint) project.aliases.delete(name);
      }
      const copies = [...model.pools.values()].flatMap((pool) =>
        volumesOf(pool, project).map((volume) => ({ pool, volume })),
      );
      for (const { pool, volume } of copies) {
        if (volume.type === 'image' && volume.name === fingerprint) removeVolume(pool, volume);
      }
      reportImage(events, call.project, 'image-deleted', image);
    },
  );
  return started(operation);
}

function reportImage(
  events: Engine['events'],
  project: string,
  action: string,
  { fingerprint }: Image,
  context?: Record<string, unknown>,
): void {
  const source = `/1.0/images/${fingerprint}`;
  events.lifecycle({ project, action, source, ...(context && { context }) });
}

function imageView(
  image: Image,
  project: string,
  aliases: { name: string; description: string }[],
) {
  const { fingerprint, type, size, properties, fileName, createdAt, uploadedAt } = image;
  return {
    fingerprint,
    type,
    size,
    properties,
    filename: fileName,
    architecture: 'x86_64',
    auto_update: false,
    cached: false,
    public: false,
    profiles: ['default'],
    aliases: aliases.map(({ name, description }) => ({ name, description })),
    created_at: createdAt.toISOString(),
    uploaded_at: uploadedAt.toISOString(),
    last_used_at: '0001-01-01T00:00:00Z',
    expires_at: '0001-01-01T00:00:00Z',
    project,
  };
}
