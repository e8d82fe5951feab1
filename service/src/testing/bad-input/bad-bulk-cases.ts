import { type BadCase, post, type World } from './bad-input-cases.ts';

const invalid = { status: 422, code: 'validation_failed' };

/** One that selects all servers is refused, too. */
const badSelectors: unknown[] = [
  ...['', ' ', 'env=,,', 'in (prod', ',env', 'env in ()', 'é', '\0', 'env=a b', '=prod', 'env>x'],
  ...['a,'.repeat(64), `a=${'b'.repeat(64)}`, 'a'.repeat(4097)],
  ...[null, 5, true, [], ['env=test'], {}, { env: 'test' }],
];

/** Invalid requests for an action on several servers. None of them does anything to any server. */
export function bulkCases(world: World): BadCase[] {
  const { started, stopped } = world;
  const good = { action: 'stop', ids: [started] };
  const tooMany = Array.from({ length: 101 }, (_, index) => index + 1);
  const fields: [name: string, more: Record<string, unknown>, pointers: string[]][] = [
    ['no action', { action: undefined }, ['/action']],
    ['an unknown action', { action: 'explode' }, ['/action']],
    ['an action in another case', { action: 'STOP' }, ['/action']],
    ['an action that needs fields', { action: 'rebuild' }, ['/action']],
    ['an action of administrators', { action: 'suspend' }, ['/action']],
    ['a list of actions', { action: ['stop'] }, ['/action']],
    ['an action that is null', { action: null }, ['/action']],
    ['an action that every object has', { action: 'constructor' }, ['/action']],
    ['neither ids nor a selector', { ids: undefined }, ['']],
    ['an empty list of ids', { ids: [] }, ['/ids']],
    ['too many ids', { ids: tooMany }, ['/ids']],
    ['an id that is no list', { ids: started }, ['/ids']],
    ['ids separated by commas', { ids: `${started},${stopped}` }, ['/ids']],
    ['ids that are null', { ids: null }, ['/ids']],
    ['an id that is null', { ids: [started, null] }, ['/ids/1']],
    ['an id of 0', { ids: [started, 0] }, ['/ids/1']],
    ['a negative id', { ids: [-1] }, ['/ids/0']],
    ['an id that is a fraction', { ids: [1.5] }, ['/ids/0']],
    ['an id beyond 2^53', { ids: [2 ** 53] }, ['/ids/0']],
    ['an id with a zero before it', { ids: [started, '01'] }, ['/ids/1']],
    ['an id that is empty', { ids: [''] }, ['/ids/0']],
    ['an id that is an object', { ids: [{ id: started }] }, ['/ids/0']],
    ['an id in a list', { ids: [[started]] }, ['/ids/0']],
    ['a name of no server', { ids: [started, 'no-such-name'] }, ['/ids/1']],
    ['two names of no server', { ids: ['no-such-name', 'neither-this'] }, ['/ids/0', '/ids/1']],
    ['a name with a control character', { ids: ['web\0'] }, ['/ids/0']],
    ['a UUID of no server', { ids: ['6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'] }, ['/ids/0']],
    ['a force that is text', { force: 'true' }, ['/force']],
    ['a force that is null', { force: null }, ['/force']],
    ['a force of another action', { action: 'restart', force: true }, ['/force']],
    ['no force of another action', { action: 'start', force: false }, ['/force']],
    ['a dry run that is text', { dry_run: 'yes' }, ['/dry_run']],
    ['a dry run that is null', { dry_run: null }, ['/dry_run']],
    ['ids and a selector', { label_selector: 'env=test' }, ['/label_selector']],
    ['ids and an empty selector', { label_selector: '' }, ['/label_selector']],
    ['a selector of another name', { ids: undefined, labels: 'env=test' }, ['', '/labels']],
    ...badSelectors.map((selector): [string, Record<string, unknown>, string[]] => [
      `the selector ${JSON.stringify(selector).slice(0, 30)}`,
      { ids: undefined, label_selector: selector },
      ['/label_selector'],
    ]),
    ['an unknown field', { reason: 'why not' }, ['/reason']],
    ['several mistakes', { action: 'x', ids: [], dry_run: 1 }, ['/action', '/ids', '/dry_run']],
  ];
  const url = '/v1/servers/actions';
  return [
    ...fields.map(([name, more, pointers]) => ({
      ...{ name, request: post(url, { ...good, ...more }), pointers },
      ...invalid,
    })),
    {
      name: 'an action on several with a list',
      request: post(url, [good]),
      ...invalid,
      pointers: [''],
    },
    {
      name: 'an action on several without a body',
      request: { method: 'POST', url },
      ...invalid,
      pointers: ['/action', ''],
    },
    {
      name: 'a dry run of an action in the query',
      request: post(`${url}?dry_run=true`, good),
      ...invalid,
      pointers: ['?dry_run'],
    },
    {
      name: 'an action on several in a form with a broken boolean',
      request: post(url, `action=stop&ids[]=${started}&dry_run=maybe`, {
        'content-type': 'application/x-www-form-urlencoded',
      }),
      ...invalid,
      pointers: ['/dry_run'],
    },
    {
      name: 'an action on several with a key that is not readable',
      request: post(url, good, { 'idempotency-key': 'a b' }),
      status: 400,
      code: 'malformed_request',
    },
  ];
}
