import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { allows } from '../callers/scopes.ts';
import type { Role } from '../db/schema/people-schema.ts';
import { isSafe } from '../lib/methods.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { routes } from '../routes.ts';
import { type AccessCase, accessCases } from '../testing/access-cases.ts';
import { type AccessRoute, accessRoutes, askCase, requireCase } from '../testing/access-routes.ts';
import { createAccessWorld } from '../testing/access-world.ts';
import { createTestApp } from '../testing/app.ts';
import { fingerprintOf } from '../testing/fingerprint.ts';
import { type Browser, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { scopesOf } from '../users/roles.ts';

// Calls every route as users in every role, each in a separate installation. What is allowed follows from the
// declaration of the route, and from access-cases.ts.

type Who = Role | 'stranger' | 'administrator';
/** A stranger is a member of another project. */
const everybody: readonly Who[] = ['owner', 'member', 'viewer', 'stranger', 'administrator'];

/** The code of the refusal; undefined if the request is allowed. */
function refusalOf(who: Who, { scope }: AccessRoute, { only }: AccessCase): string | undefined {
  if (scope === 'person' || scope === 'public') return undefined;
  if (who === 'stranger') return 'project_not_found';
  const isAdmin = who === 'administrator';
  const scopes = scopesOf({ isAdmin, role: isAdmin ? null : who });
  if (!allows(scopes, scope)) return 'scope_missing';
  return only === undefined || isAdmin || who === only ? undefined : 'owner_required';
}

for (const who of everybody) {
  describe(`the ${who}`, async () => {
    const { db, pool, close } = await createTestDatabase();
    const world = await createAccessWorld(db);
    const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: true });
    const app = await createTestApp(db, [...routes], { metrics });
    after(async () => {
      await app.close();
      await close();
    });
    const cases = await accessCases(world, app);
    const { projectId } = world.place;
    const { credentials } = await createTestUser(db, rolesOf(who));
    let browser: Browser | undefined;

    function rolesOf(person: Who) {
      if (person === 'administrator') return { isAdmin: true };
      return {
        roles:
          person === 'stranger'
            ? { [world.foreign.project]: 'owner' as const }
            : { [projectId]: person },
      };
    }

    async function ask({ name, method, scope }: AccessRoute, more: object = {}) {
      browser ??= await signInAs(app, credentials);
      const headers = { ...browser.headers, 'berth-project': String(projectId), ...more };
      // The request may have ended the session.
      if (scope === 'person') browser = undefined;
      return await askCase(app, requireCase(cases, name), { method, headers });
    }

    const asked = accessRoutes(app)
      .filter(({ scope }) => scope !== 'public')
      .map((route) => ({ route, refusal: refusalOf(who, route, requireCase(cases, route.name)) }));

    it('changes nothing with requests that are not allowed, or that another site sends', async () => {
      const untouched = await fingerprintOf(db);
      for (const { route, refusal } of asked) {
        if (refusal) {
          const answer = await ask(route);
          assert.equal(answer.json().code, refusal, route.name);
          assert.ok([403, 404].includes(answer.statusCode));
        }
        if (isSafe(route.method)) continue;
        const forged = await ask(route, { 'berth-csrf': 'forged' });
        assert.equal(forged.json().code, 'csrf_failed', route.name);
      }
      assert.equal(await fingerprintOf(db), untouched);
    });

    for (const { route, refusal } of asked) {
      if (refusal) continue;
      it(`may ${route.name}`, async () => {
        const answer = await ask(route);
        assert.equal(answer.statusCode, requireCase(cases, route.name).status, answer.body);
      });
    }
  });
}
