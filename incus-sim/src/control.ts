import { type Answer, done } from './answers.ts';
import type { Timing } from './engine.ts';
import type { EventFaults } from './events.ts';
import type { Fault, GuestFaults } from './faults.ts';
import { refuse } from './refusal.ts';
import { jsonBody, part, type Routes } from './router.ts';
import type { SimulatorControls } from './simulator.ts';

interface InstanceAct {
  action: string;
  /** The new name of a rename. */
  name?: string;
  /** Bytes of a transfer. */
  incoming?: number;
  outgoing?: number;
  /** Bytes of memory. */
  own?: number;
  shared?: number;
}

const faultKinds = new Set<string>([
  'delay',
  'error',
  'drop',
  'operation',
  'push',
] satisfies Fault['kind'][]);

/** Routes for tests in another process, which do the same as the simulator's functions. */
export function controlRoutes(controls: SimulatorControls): Routes {
  const { faults, administrator } = controls;
  const act = (run: () => void): Answer => {
    run();
    return done();
  };
  return {
    'POST /sim/faults': async (call) => {
      const fault = await jsonBody<Fault>(call);
      if (!faultKinds.has(fault.kind)) refuse(`Unknown kind of fault: ${fault.kind}`, 400);
      return act(() => faults.add(fault));
    },
    'DELETE /sim/faults': () => act(() => faults.clear()),
    'POST /sim/guests/:instance': async (call) => {
      const behaviour = await jsonBody<GuestFaults>(call);
      return act(() => faults.guest(part(call, 'instance'), behaviour));
    },
    'POST /sim/image-servers': async (call) => {
      const { host } = await jsonBody<{ host: string }>(call);
      return act(() => faults.imageServers.add(host));
    },
    'POST /sim/events': async (call) => {
      const disturbance = await jsonBody<EventFaults>(call);
      return act(() => controls.disturbEvents(disturbance));
    },
    'POST /sim/timing': async (call) => {
      const changes = await jsonBody<Partial<Timing>>(call);
      return act(() => controls.setTiming(changes));
    },
    'POST /sim/pools/:pool': async (call) => {
      const { full } = await jsonBody<{ full: boolean }>(call);
      return act(() => controls.fillPool(part(call, 'pool'), full));
    },
    'POST /sim/members/:member': async (call) => {
      const { down } = await jsonBody<{ down: boolean }>(call);
      return act(() => controls.takeMemberDown(part(call, 'member'), down));
    },
    'POST /sim/daemon': async (call) => {
      const { absentMs } = await jsonBody<{ absentMs: number }>(call);
      // The response is sent first, because the restart closes this connection.
      setTimeout(() => controls.restartDaemon(absentMs), 20).unref();
      return done();
    },
    'POST /sim/instances/:instance': async (call) => {
      const { action, name, ...amounts } = await jsonBody<InstanceAct>(call);
      const instance = part(call, 'instance');
      if (action === 'rename') {
        const newName = name ?? refuse('A rename needs a name', 400);
        return act(() => administrator.rename(call.project, instance, newName));
      }
      if (action === 'transfer') {
        const { incoming = 0, outgoing = 0 } = amounts;
        return act(() => administrator.transfer(call.project, instance, { incoming, outgoing }));
      }
      if (action === 'occupy') {
        return act(() => administrator.occupy(call.project, instance, amounts));
      }
      const { transfer: _, occupy: __, mayAskBtrfs: ___, ...others } = administrator;
      const acts = new Map(Object.entries(others));
      const run = acts.get(action) ?? refuse(`Unknown action: ${action}`, 400);
      return act(() => run(call.project, instance, ''));
    },
  };
}
