import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lacksTrafficControl } from '../../service/src/incus/transport/errors.ts';
import { canLimit } from '../../service/src/reconcilers/traffic-limits.ts';
import { createInstance, ending, start } from './guests.ts';
import { useTarget } from './target.ts';

const target = useTarget();
const limits = { incoming: 'limits.ingress', outgoing: 'limits.egress' } as const;

describe('traffic limits of a NIC', () => {
  for (const direction of ['incoming', 'outgoing'] as const) {
    it(`for ${direction} traffic have the same result for a running guest and for one without a system`, async () => {
      const { client, names } = target;
      const { name } = await createInstance(target, direction);
      await start(target, name);
      const failure = await ending(
        client.instances.change(name, ({ devices }) => ({
          devices: { eth0: { ...devices.eth0, [limits[direction]]: '10Mbit' } },
        })),
      );
      const isLimited = failure === undefined;
      if (!isLimited) assert.ok(lacksTrafficControl(failure), String(failure));
      const reported: unknown[] = [];
      const { signal } = new AbortController();
      const report = (error: unknown) => void reported.push(error);
      const place = {
        ...{ storage_pool: names.pool, network: names.network },
        ...{ network_kind: 'bridge' as const, vlan: null },
      };
      const node = { id: process.pid, member: null };
      const can = await canLimit({ client, signal, report }, place, node, direction);
      assert.deepEqual(reported, []);
      assert.equal(can, isLimited);
      assert.equal(await client.instances.get(`berth-probe-${node.id}-${direction}`), null);
    });
  }
});
