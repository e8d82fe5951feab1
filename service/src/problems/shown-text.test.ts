import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { routes } from '../routes.ts';
import { accessCases } from '../testing/access-cases.ts';
import { accessRoutes } from '../testing/access-routes.ts';
import { createAccessWorld } from '../testing/access-world.ts';
import { createTestApp } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { shownName, shownText } from './shown-text.ts';

test('characters that a terminal obeys are shown as escapes, and long texts are cut', () => {
  assert.equal(shownText('a\u001b[31m\n\u0085\u202e'), 'a\\u{1b}[31m\\u{a}\\u{85}\\u{202e}');
  assert.equal(shownText('größe 😀'), 'größe 😀');
  assert.equal(shownText(`${'x'.repeat(39)}😀`), `${'x'.repeat(39)}\\u{d83d}…`);
  assert.equal(shownName(' a'), '" a"');
  assert.equal(shownName('a\u0007'), 'a\\u{7}');
});

describe('no error repeats a control character of its request', async () => {
  const { db, close } = await createTestDatabase();
  after(close);
  const world = await createAccessWorld(db);
  const app = await createTestApp(db, [...routes]);
  after(() => app.close());
  const cases = await accessCases(world, app);
  const user = await createTestUser(db, { isAdmin: true });
  const { headers } = await signInAs(app, user.credentials);
  const json = { ...headers, 'content-type': 'application/json' };
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
  const multipart = { ...headers, 'content-type': 'multipart/form-data; boundary=edge' };

  const odd = 'x\u001b[2J\u0007\u0085\u202ey';
  const encoded = encodeURIComponent(odd);

  function requireClean(answer: LightMyRequestResponse): void {
    const texts: string[] = [];
    JSON.parse(answer.body || 'null', (key, value: unknown) => {
      texts.push(key, ...(typeof value === 'string' ? [value] : []));
    });
    for (const text of texts) assert.doesNotMatch(text, /[\p{Cc}\u202e]/u, answer.body);
  }

  const queryOf = (schema: object) => {
    const { querystring } = schema as { querystring?: { properties: object } };
    return Object.keys(querystring?.properties ?? {});
  };

  for (const { name, method, url, prefix, schema } of accessRoutes(app)) {
    it(`in its path, query and body: ${name}`, async () => {
      const path = prefix + (cases[name]?.path ?? '');
      const named = prefix + url.replaceAll(/:\w+/g, encoded);
      const query = [...queryOf(schema), odd].map((one) => `${encodeURIComponent(one)}=${encoded}`);
      const urls = [`${path}?${query.join('&')}`, ...(named === prefix + url ? [] : [named])];
      for (const one of urls) requireClean(await inject(app, { method, url: one, headers }));
      if (!schema.body) return;
      const { properties = {} } = schema.body as { properties?: object };
      const fields = Object.fromEntries([...Object.keys(properties), odd].map((key) => [key, odd]));
      const twice = `{${JSON.stringify(odd)}: 1, ${JSON.stringify(odd)}: 2}`;
      const file = `--edge\r\nContent-Disposition: form-data; name="${odd}"; filename="a"\r\n\r\nx\r\n--edge--\r\n`;
      const bodies: [headers: object, payload: string, statuses: number[]][] = [
        [json, JSON.stringify(fields), [422]],
        [json, twice, [400]],
        [form, new URLSearchParams(fields).toString(), [422]],
        [form, `${encoded}=1&${encoded}=2`, [400]],
        [multipart, file, [422]],
      ];
      for (const [own, payload, statuses] of bodies) {
        const answer = await inject(app, { method, url: path, headers: { ...own }, payload });
        assert.ok(statuses.includes(answer.statusCode), answer.body);
        requireClean(answer);
      }
    });
  }

  it('in the header of the project', async () => {
    const elsewhere = { ...headers, 'berth-project': 'x\u0085y' };
    const answer = await inject(app, { url: '/v1/servers', headers: elsewhere });
    assert.equal(answer.statusCode, 404);
    requireClean(answer);
  });
});
