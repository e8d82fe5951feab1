import { serverBody } from '../servers.ts';
import { type BadCase, notReferences, post, type Row, type World } from './bad-input-cases.ts';

const refused = { status: 422, code: 'validation_failed' };

/** Sizes that no server can get, in a create, its dry run and a resize. */
export function sizeCases(world: World): BadCase[] {
  const { sizes, goodSize, held, started } = world;
  const rows: Row[] = [
    ...notReferences,
    ['one that is not there', 4711],
    ['the largest id', Number.MAX_SAFE_INTEGER],
    ['a deleted one', sizes.deleted],
    ['a deleted one by its name', 'deleted'],
    ['one out of use', sizes.deprecated],
    ['one out of use by its name', 'deprecated'],
    ['one of another location', sizes.elsewhere],
    ['one beyond the limits of the location', sizes.huge],
    ['one with too little memory for the operating system', sizes.tiny],
    ['one with too small a disk', sizes.thin],
  ];
  const { cpu: _, ram: __, disk: ___, ...rest } = serverBody(world);
  const resize = `/v1/servers/${started}/resize`;
  const places: [name: string, url: string, body: object][] = [
    ['create', '/v1/servers', rest],
    ['dry run', '/v1/servers/dry-run', rest],
    ['resize', resize, {}],
  ];
  const more: [name: string, body: object, pointers: string[]][] = [
    ['cores', { size: goodSize, cpu: 1 }, ['/cpu']],
    ['all of its parts', { size: 'good', cpu: 2, ram: 512, disk: 4 }, ['/cpu', '/disk', '/ram']],
    ['memory, out of use', { size: sizes.deprecated, ram: 512 }, ['/ram', '/size']],
  ];
  const ofHeld = { authorization: `Bearer ${held.token}` };
  const inHeld: [name: string, url: string, body: object][] = [
    ['create', '/v1/servers', serverBody(world)],
    ['dry run', '/v1/servers/dry-run', serverBody(world)],
    ['resize', `/v1/servers/${held.server}/resize`, { cpu: 2 }],
  ];
  return [
    ...places.flatMap(([where, url, body]) => [
      ...rows.map(([name, size]) => ({
        name: `${where} with a size: ${name}`,
        request: post(url, { ...body, size }),
        ...refused,
        pointers: ['/size'],
      })),
      ...more.map(([name, fields, pointers]) => ({
        name: `${where} with a size and ${name}`,
        request: post(url, { ...body, ...fields }),
        ...refused,
        pointers,
      })),
    ]),
    ...inHeld.map(([where, url, body]) => ({
      name: `${where} without a size in a project that is held to sizes`,
      request: post(url, body, ofHeld),
      ...refused,
      pointers: ['/size'],
    })),
    {
      name: 'create with neither a size nor all of its parts',
      request: post('/v1/servers', { ...rest, cpu: 1 }),
      ...refused,
      pointers: ['/disk', '/ram'],
    },
    {
      name: 'create that keeps a disk',
      request: post('/v1/servers', { ...rest, size: goodSize, keep_disk: true }),
      ...refused,
      pointers: ['/keep_disk'],
    },
    ...(
      [
        ['without a size', { cpu: 2, keep_disk: true }],
        ['as a text', { size: goodSize, keep_disk: 'yes' }],
      ] as const
    ).map(([name, body]) => ({
      name: `resize that keeps a disk ${name}`,
      request: post(resize, body),
      ...refused,
      pointers: ['/keep_disk'],
    })),
  ];
}
