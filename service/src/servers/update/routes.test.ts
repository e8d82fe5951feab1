import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Project } from '../../db/project.ts';
import { labelSetFor } from '../../labels/queries.ts';
import { deleteUnusedLabelSets } from '../../labels/unused-queries.ts';
import { createTestToken } from '../../testing/app.ts';
import { amid } from '../../testing/locks.ts';
import { createTestProject } from '../../testing/people.ts';
import { enterServer, serverBody } from '../../testing/servers.ts';
import { until } from '../../testing/until.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { lockServer, setServerSettings } from '../queries.ts';
import { markServerDeleted } from '../worker-queries.ts';

const { db, place, ask, create, finish, fail, close } = await createWholeApp();
after(close);
const project = new Project(db, place.projectId);

const update = (id: number, body: object, headers = {}) =>
  ask('PATCH', `/servers/${id}`, { body, ...headers });
const show = async (id: number) => (await ask('GET', `/servers/${id}`)).json();

/** A started server, with these settings. */
async function enter(hostname: string, settings: object = {}): Promise<number> {
  const id = await enterServer(db, place, { hostname });
  const answer = await update(id, settings);
  assert.equal(answer.statusCode, 200, answer.body);
  return id;
}

async function lastEntry(action: string) {
  const query = db.selectFrom('audit_log').selectAll().where('action', '=', action);
  return await query.orderBy('id', 'desc').executeTakeFirstOrThrow();
}

const none = { labels: {}, notes: '', protection: { delete: false, rebuild: false } };

describe('a create', () => {
  it('sets the labels, the notes and the protection of the server', async () => {
    const settings = {
      labels: { env: 'prod', 'example.com/tier': '', constructor: 'x' },
      notes: 'Two\n\tlines',
      protection: { delete: true },
    };
    const made = await create(settings);
    assert.equal(made.statusCode, 201, made.body);
    const shown = { ...settings, protection: { delete: true, rebuild: false } };
    for (const server of [made.json(), await show(made.json().id)]) {
      const { labels, notes, protection } = server;
      assert.deepEqual({ labels, notes, protection }, shown);
    }
    const { labels, notes, protection } = (await create()).json();
    assert.deepEqual({ labels, notes, protection }, none);
    const dryRun = await ask('POST', '/servers/dry-run', { body: serverBody(place, settings) });
    assert.equal(dryRun.statusCode, 200, dryRun.body);
  });
});

describe('PATCH of a server', () => {
  it('changes only the fields that are given', async () => {
    const id = await enter('fields');
    const others = ['stop', 'restart', 'pause', 'password'];
    for (const [body, changed] of [
      [{ labels: { env: 'test', old: 'yes' } }, { labels: { env: 'test', old: 'yes' } }],
      [{ notes: 'Ask first.' }, { notes: 'Ask first.' }],
      [
        { protection: { delete: true } },
        {
          protection: { delete: true, rebuild: false },
          allowed_actions: [...others, 'rebuild', 'resize'],
        },
      ],
      [
        { protection: { rebuild: true } },
        { protection: { delete: true, rebuild: true }, allowed_actions: [...others, 'resize'] },
      ],
      [
        { protection: { delete: false } },
        {
          protection: { delete: false, rebuild: true },
          allowed_actions: [...others, 'resize', 'delete'],
        },
      ],
      [{}, {}],
      [{ notes: '' }, { notes: '' }],
    ]) {
      const before = await show(id);
      const answer = await update(id, body ?? {});
      assert.equal(answer.statusCode, 200, answer.body);
      assert.deepEqual(answer.json(), { ...before, ...changed });
      assert.deepEqual(await show(id), answer.json());
    }
  });

  it('merges labels, and removes those that are null', async () => {
    const id = await enter('merged', { labels: { env: 'test', old: 'yes', kept: '1' } });
    const patched = async (labels: unknown) => (await update(id, { labels })).json().labels;
    assert.deepEqual(await patched({ env: 'prod', old: null, new: '' }), {
      env: 'prod',
      kept: '1',
      new: '',
    });
    assert.deepEqual(await patched({ nothing: null }), { env: 'prod', kept: '1', new: '' });
    assert.deepEqual(await patched({}), { env: 'prod', kept: '1', new: '' });
    assert.deepEqual(await patched(null), {});
  });

  it('accepts as many labels as a server may have, and no more', async () => {
    const named = (prefix: string, value: string | null = '') =>
      Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`${prefix}${at}`, value]));
    const id = await enter('many', { labels: named('a') });
    const refused = await update(id, { labels: { b: '' } });
    assert.deepEqual(refused.json().errors, [
      {
        pointer: '/labels',
        detail: 'There can be at most 64 labels; with these there would be 65.',
      },
    ]);
    const replaced = await update(id, { labels: { ...named('a', null), ...named('b') } });
    assert.deepEqual(replaced.json().labels, named('b'));
  });

  it('accepts a form', async () => {
    const id = await enter('form', { labels: { kept: '' } });
    const payload =
      'labels[env]=prod&labels[example.com/tier]=web&protection[delete]=1&notes=a%0D%0Ab';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { labels, notes, protection } = (await update(id, payload as never, headers)).json();
    assert.deepEqual(labels, { env: 'prod', 'example.com/tier': 'web', kept: '' });
    assert.deepEqual([notes, protection.delete], ['a\nb', true]);
  });

  it('is possible in every state of the server', async () => {
    for (const [status, operation] of [
      ['creating', 'create'],
      ['started', 'stop'],
      ['paused', undefined],
      ['deleting', 'delete'],
      ['error', undefined],
    ] as const) {
      const id = await enterServer(db, place, { status, ...(operation && { operation }) });
      const answer = await update(id, { labels: { state: status } });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.deepEqual([answer.json().status, answer.json().labels], [status, { state: status }]);
    }
  });

  it('finds the server by its name, and no deleted one', async () => {
    const id = await enter('by-name');
    assert.equal((await ask('PATCH', '/servers/by-name', { body: {} })).json().id, id);
    await db.transaction().execute((trx) => markServerDeleted(trx, id));
    assert.equal((await update(id, {})).json().code, 'server_not_found');
  });

  it('is in the audit log, with what has changed', async () => {
    const id = await enter('audited', { labels: { env: 'test', old: 'yes', kept: '1' } });
    const body = {
      labels: { env: 'prod', old: null, new: '', kept: '1' },
      notes: 'secret of the team',
      protection: { delete: true, rebuild: false },
    };
    await update(id, body);
    const { target_kind, target_id, project_id, details } = await lastEntry('server_update');
    assert.deepEqual([target_kind, target_id, project_id], ['server', id, place.projectId]);
    assert.deepEqual(details, {
      labels: {
        env: { before: 'test', after: 'prod' },
        old: { before: 'yes', after: null },
        new: { before: null, after: '' },
      },
      notes_changed: true,
      protection: { delete: { before: false, after: true } },
    });
    await update(id, body);
    assert.equal((await lastEntry('server_update')).details, null);
  });

  it('does not undo a concurrent change of other fields, or of other labels', async () => {
    const id = await enter('concurrent', { labels: { kept: '' } });
    const second = await amid(
      db,
      async (trx) => {
        await lockServer(project.in(trx), id);
        await setServerSettings(project.in(trx), id, { notes: 'The first.' });
      },
      () => update(id, { labels: { second: '' } }),
    );
    assert.deepEqual(
      [second.json().notes, second.json().labels],
      ['The first.', { kept: '', second: '' }],
    );
    const all = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(all.map((key) => update(id, { labels: { [key]: '' } })));
    assert.ok(answers.every(({ statusCode }) => statusCode === 200));
    assert.deepEqual(Object.keys((await show(id)).labels).sort(), [...all, 'kept', 'second']);
  });
});

describe('a rename', () => {
  const rename = (id: number, name: string, headers = {}) => update(id, { name }, headers);

  async function renamesOf(serverId: number) {
    const query = db.selectFrom('operations').select(['id', 'kind', 'status', 'state']);
    const renames = query.where('server_id', '=', serverId).where('kind', '=', 'rename');
    return await renames.orderBy('id').execute();
  }

  it('is shown at once, with the operation that carries it out', async () => {
    const id = await enter('named', { labels: { kept: '' } });
    const answer = await update(id, { name: 'renamed.example.org', labels: { more: '' } });
    assert.equal(answer.statusCode, 200, answer.body);
    const { hostname, status, labels, operation, allowed_actions } = answer.json();
    assert.deepEqual([hostname, status], ['renamed.example.org', 'started']);
    assert.deepEqual([labels, allowed_actions], [{ kept: '', more: '' }, ['stop', 'delete']]);
    const [entered, ...others] = await renamesOf(id);
    assert.deepEqual(others, []);
    assert.deepEqual(operation, { id: entered?.id, status: 'pending', error: null });
    assert.equal(answer.headers['operation-id'], String(entered?.id));
    assert.deepEqual(entered?.state, { from: ['named'] });
    const { details } = await lastEntry('server_update');
    assert.deepEqual((details as { name: object }).name, {
      before: 'named',
      after: 'renamed.example.org',
    });
    assert.equal((await ask('GET', '/servers/renamed.example.org')).json().id, id);
    const shown = (await ask('GET', `/servers/${id}/status`)).json();
    assert.equal(shown.status, 'Renaming the server: changing its configuration');
    // A deletion takes its place.
    assert.equal((await ask('DELETE', `/servers/${id}`)).statusCode, 202);
    assert.equal((await renamesOf(id))[0]?.status, 'superseded');
  });

  it('excludes other operations, and no other changes', async () => {
    const id = await enter('busy');
    await rename(id, 'busier');
    for (const refused of [await rename(id, 'busiest'), await ask('POST', `/servers/${id}/stop`)]) {
      assert.deepEqual(
        [refused.statusCode, refused.json().code, refused.json().operation.kind],
        [409, 'operation_in_progress', 'rename'],
      );
    }
    const whole = await update(id, { name: 'busiest', notes: 'Not this.' });
    assert.equal(whole.statusCode, 409);
    const others = await update(id, { name: 'busier', notes: 'But this.' });
    assert.deepEqual([others.json().notes, others.json().operation], ['But this.', undefined]);
    await finish(id, 'started');
    assert.equal((await rename(id, 'busiest')).statusCode, 200);
  });

  it('to the name that the server has does nothing, unless the last rename failed', async () => {
    const id = await enter('same');
    const unchanged = await rename(id, 'same');
    assert.deepEqual([unchanged.statusCode, unchanged.json().operation], [200, undefined]);
    assert.equal(unchanged.headers['operation-id'], undefined);
    assert.equal((await rename(id, 'Same')).json().operation.status, 'pending');
    await fail(id, 'rename_incomplete', 'The guest did not take it over.');
    assert.equal((await rename(id, 'Same')).json().operation.status, 'pending');
    await finish(id, 'started');
    assert.equal((await rename(id, 'Same')).json().operation, undefined);
    assert.equal((await renamesOf(id)).length, 2);
  });

  it('after one that failed knows every name that the guest may have, and the copies of its files', async () => {
    const id = await enter('first');
    await rename(id, 'second');
    const copies = { '/etc/hosts': 'Y29weQ==' };
    const { id: operationId } = (await renamesOf(id))[0] ?? {};
    assert.ok(operationId);
    const state = JSON.stringify({ from: ['first'], copies });
    await db.updateTable('operations').set({ state }).where('id', '=', operationId).execute();
    await fail(id, 'engine_failed', 'The engine reported an error.');
    await rename(id, 'third');
    await fail(id, 'engine_failed', 'The engine reported an error.');
    await rename(id, 'third');
    const states = (await renamesOf(id)).map((one) => one.state);
    assert.deepEqual(states.slice(1), [
      { from: ['second', 'first'], copies },
      { from: ['third', 'second', 'first'], copies },
    ]);
    await finish(id, 'started');
    await rename(id, 'fourth');
    assert.deepEqual((await renamesOf(id)).at(-1)?.state, { from: ['third'] });
  });

  it('can be waited for', async () => {
    const id = await enter('waited');
    const asked = rename(id, 'waited-for', { prefer: 'wait=30' });
    await until(
      'it is entered',
      () => renamesOf(id),
      ({ length }) => length > 0,
    );
    await finish(id, 'started');
    const answer = await asked;
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.headers['preference-applied'], 'wait=30');
    const { hostname, operation } = answer.json();
    assert.deepEqual([hostname, operation.status], ['waited-for', 'succeeded']);
    const failing = rename(id, 'waited-again', { prefer: 'wait=30' });
    await until(
      'it is entered',
      () => renamesOf(id),
      ({ length }) => length > 1,
    );
    await fail(id, 'rename_incomplete', 'The guest did not take it over.');
    const failed = await failing;
    assert.deepEqual([failed.statusCode, failed.json().code], [409, 'rename_incomplete']);
    assert.equal(failed.headers['operation-id'], String(failed.json().operation.id));
  });

  it('of a server without an instance needs no operation', async () => {
    const { id } = (await create({ name: 'not-yet' })).json();
    const early = await rename(id, 'too-early');
    assert.deepEqual([early.statusCode, early.json().code], [409, 'operation_in_progress']);
    await fail(id, 'no_space', 'The pool is full.');
    const renamed = await rename(id, 'next-time');
    assert.deepEqual([renamed.json().hostname, renamed.json().operation], ['next-time', undefined]);
    assert.equal((await show(id)).hostname, 'next-time');
    const vanished = await enterServer(db, place, { hostname: 'vanished', status: 'error' });
    const gone = { real_status: 'not_exists' as const };
    await db.updateTable('servers').set(gone).where('id', '=', vanished).execute();
    assert.equal((await rename(vanished, 'was-there')).json().operation, undefined);
  });

  it('is refused while the server is paused or broken', async () => {
    for (const status of ['paused', 'error'] as const) {
      const id = await enterServer(db, place, { hostname: `is-${status}`, status });
      const refused = await rename(id, 'other');
      assert.deepEqual([refused.statusCode, refused.json().code], [409, 'server_not_renamable']);
      assert.match(refused.json().detail, new RegExp(`this server is in the ${status} state`));
      assert.equal((await show(id)).hostname, `is-${status}`);
    }
  });

  it('is refused while the server is suspended, and no other change is', async () => {
    const id = await enterServer(db, place, { hostname: 'held', status: 'stopped' });
    const { headers } = await createTestToken(db, { scopes: ['admin'] });
    const suspend = { ...headers, body: { reason: 'Unpaid.' } };
    assert.equal((await ask('POST', `/servers/${id}/suspend`, suspend)).statusCode, 202);
    await finish(id, 'stopped');
    const refused = await rename(id, 'released');
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'suspended']);
    assert.match(refused.json().detail, /"Unpaid\."/);
    const others = await update(id, { name: 'held', labels: { a: '' }, notes: 'Kept.' });
    assert.deepEqual([others.json().hostname, others.json().notes], ['held', 'Kept.']);
    assert.deepEqual((await show(id)).labels, { a: '' });
  });

  it('to a name of another server is refused if names are unique', async () => {
    const id = await enter('first-of-name');
    await enter('second-of-name');
    assert.equal((await rename(id, 'Second-of-name')).statusCode, 200);
    await finish(id, 'started');
    await rename(id, 'first-of-name');
    await finish(id, 'started');
    const unique = (unique_names: boolean) =>
      db.updateTable('projects').set({ unique_names }).where('id', '=', place.projectId).execute();
    await unique(true);
    const refused = await rename(id, 'Second-of-name');
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'name_taken'], refused.body);
    assert.equal((await show(id)).hostname, 'first-of-name');
    assert.equal((await rename(id, 'FIRST-of-name')).statusCode, 200);
    await finish(id, 'started');
    const other = await enter('third-of-name');
    const [one, two] = await Promise.all([rename(id, 'wanted'), rename(other, 'WANTED')]);
    assert.deepEqual([one.statusCode, two.statusCode].sort(), [200, 409]);
    await unique(false);
  });

  it('is replayed for the same key', async () => {
    const id = await enter('keyed');
    const key = { 'idempotency-key': 'rename' };
    const first = await rename(id, 'keyed-anew', key);
    const again = await rename(id, 'keyed-anew', key);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    assert.equal(again.headers['operation-id'], first.headers['operation-id']);
    assert.deepEqual(again.json(), first.json());
    assert.equal((await renamesOf(id)).length, 1);
  });
});

describe('a protected server', () => {
  it('refuses its delete until its protection ends', async () => {
    const { id } = (await create({ protection: { delete: true } })).json();
    for (const end of [() => undefined, () => finish(id, 'started')]) {
      await end();
      const refused = await ask('DELETE', `/servers/${id}`);
      assert.deepEqual([refused.statusCode, refused.json().code], [409, 'protected'], refused.body);
      assert.equal(
        refused.json().detail,
        `The server is protected against a delete. To end its protection: PATCH /v1/servers/${id} with ` +
          '{"protection":{"delete":false}}.',
      );
      assert.ok(!(await show(id)).allowed_actions.includes('delete'));
    }
    const open = await update(id, { protection: { delete: false } });
    assert.ok(open.json().allowed_actions.includes('delete'));
    assert.equal((await ask('DELETE', `/servers/${id}`)).statusCode, 202);
    assert.equal((await update(id, { protection: { delete: true } })).statusCode, 200);
  });

  it('refuses its rebuild until its protection ends', async () => {
    const { id } = (await create({ protection: { rebuild: true } })).json();
    await finish(id, 'error');
    const online = { status: 'online', cpu: 4, ram_mb: 1024 * 1024, disk_gb: 1000 } as const;
    const values = { ...online, location_id: place.locationId, name: 'node-2' };
    await db.insertInto('nodes').values(values).execute();
    const setNode = (lost: boolean) =>
      db.updateTable('nodes').set({ lost }).where('id', '=', place.nodeId).execute();
    await setNode(true);
    const rebuild = () =>
      ask('POST', `/servers/${id}/rebuild`, {
        body: { password: 'correct horse', initialCommands: [] },
      });
    const refused = await rebuild();
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'protected'], refused.body);
    assert.deepEqual((await show(id)).allowed_actions, ['delete']);
    await update(id, { protection: { rebuild: false } });
    assert.equal((await rebuild()).statusCode, 202);
    await setNode(false);
  });
});

describe('a label selector', () => {
  async function listed(selector: string, more = '', headers = {}) {
    const query = `label_selector=${encodeURIComponent(selector)}${more}`;
    const answer = await ask('GET', `/servers?${query}`, headers);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer;
  }
  const names = async (selector: string, more = '', headers = {}) =>
    (await listed(selector, more, headers))
      .json()
      .map(({ hostname }: { hostname: string }) => hostname);

  it('selects servers, with other filters, in each order, and in pages', async () => {
    const of = (at: number) => ({ set: 'pages', env: ['prod', 'test', 'dev'][at % 3] ?? '' });
    const all = Array.from({ length: 9 }, (_, at) => `page-${at}`);
    for (const [at, name] of all.entries()) await enter(name, { labels: of(at) });
    const selector = 'set=pages,env in (prod,test)';
    const wanted = all.filter((_, at) => at % 3 < 2);
    assert.deepEqual(await names(selector), wanted);
    assert.deepEqual(await names(selector, '&sort=-hostname'), wanted.toReversed());
    assert.deepEqual(await names(selector, '&q=page-4&status=started'), ['page-4']);
    assert.deepEqual(await names(selector, '&status=stopped'), []);
    assert.deepEqual(await names('set=pages,env notin (prod,test)'), [
      'page-2',
      'page-5',
      'page-8',
    ]);
    const seen: string[] = [];
    let path = `/servers?limit=2&label_selector=${encodeURIComponent(selector)}`;
    while (path) {
      const page = await ask('GET', path, { prefer: 'count=exact' });
      assert.equal(page.headers['total-count'], '6');
      seen.push(...page.json().map(({ hostname }: { hostname: string }) => hostname));
      path = /^<\/v1([^>]+)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1] ?? '';
    }
    assert.deepEqual(seen, wanted);
  });

  it('selects servers without labels, too', async () => {
    const own = await enter('with-mark', { labels: { mark: '' } });
    const all = await names('');
    assert.deepEqual(await names(' '), all);
    assert.ok(all.includes('with-mark'));
    assert.deepEqual(await names('mark'), ['with-mark']);
    const others = all.filter((name: string) => name !== 'with-mark');
    assert.deepEqual(await names('!mark'), others);
    assert.deepEqual(await names('mark!=x'), all);
    assert.deepEqual(await names('mark='), ['with-mark']);
    await update(own, { labels: { mark: null } });
    assert.deepEqual(await names('mark'), []);
  });

  it('finds servers of other projects for administrators only', async () => {
    const projectId = await createTestProject(db, 'theirs');
    const id = await enterServer(db, { ...place, projectId }, { hostname: 'theirs' });
    const { headers } = await createTestToken(db, { scopes: ['admin'] });
    const elsewhere = { ...headers, 'berth-project': 'theirs' };
    assert.equal((await update(id, { labels: { whose: 'x' } }, elsewhere)).statusCode, 200);
    await enter('mine', { labels: { whose: 'x' } });
    assert.deepEqual(await names('whose=x'), ['mine']);
    assert.deepEqual(await names('whose=x', '', elsewhere), ['theirs']);
    assert.deepEqual(await names('whose', '&all_projects=true', headers), ['theirs', 'mine']);
    assert.deepEqual(await names('whose', '&project_id=theirs', headers), ['theirs']);
  });

  it('that is not valid is refused with the position of the error', async () => {
    const refused = await ask('GET', '/servers?label_selector=env%20in%20(prod');
    assert.deepEqual(
      [refused.statusCode, refused.json().errors],
      [
        422,
        [
          {
            parameter: 'label_selector',
            detail: 'At character 13, it must have "," or ")", not the end.',
          },
        ],
      ],
    );
  });

  it('finds a server at any time while its labels change, if both old and new ones are selected', async () => {
    const id = await enter('changing', { labels: { stays: '', round: '0' } });
    let isOver = false;
    const changes = (async () => {
      for (let round = 1; round <= 100; round += 1) {
        assert.equal((await update(id, { labels: { round: `r${round}` } })).statusCode, 200);
      }
      isOver = true;
    })();
    while (!isOver) assert.deepEqual(await names('stays'), ['changing']);
    await changes;
  });
});

describe('sets of labels', () => {
  const sets = async () =>
    (await db.selectFrom('label_sets').select('summary').execute()).map(({ summary }) => summary);

  it('are removed once no server has them', async () => {
    const id = await enter('unused', { labels: { only: 'here' } });
    const has = async (labels: object) =>
      (await sets()).some((one) => JSON.stringify(one) === JSON.stringify(labels));
    await deleteUnusedLabelSets(db);
    assert.ok(await has({ only: 'here' }));
    await update(id, { labels: { only: 'there' } });
    assert.ok((await deleteUnusedLabelSets(db)) > 0);
    assert.ok(!(await has({ only: 'here' })));
    assert.ok(await has({ only: 'there' }));
    await db.transaction().execute((trx) => markServerDeleted(trx, id));
    await deleteUnusedLabelSets(db);
    assert.ok(!(await has({ only: 'there' })));
    assert.equal(await deleteUnusedLabelSets(db), 0);
  });

  it('are not removed while a request gives one to a server', async () => {
    const id = await enter('given');
    const labels = { given: 'now' };
    const first = await labelSetFor(project, labels);
    await db.transaction().execute(async (trx) => {
      const setId = await labelSetFor(project.in(trx), labels);
      assert.equal(setId, first);
      await deleteUnusedLabelSets(db);
      await setServerSettings(project.in(trx), id, { labels: { labels, setId } });
    });
    await deleteUnusedLabelSets(db);
    assert.deepEqual((await show(id)).labels, labels);
    assert.ok((await sets()).some((one) => one?.given === 'now'));
  });
});
