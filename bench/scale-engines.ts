import { enter } from '../incus-sim/src/inventory.ts';
import type { Instance } from '../incus-sim/src/model.ts';
import { startRun } from '../incus-sim/src/runs.ts';
import { type Simulator, startSimulator } from '../incus-sim/src/simulator.ts';
import { deniedCalls } from '../service/src/instances/confinement.ts';
import {
  type Defined,
  instanceDevices,
  lastingConfig,
} from '../service/src/servers/engine/instance.ts';
import { nodeName } from './metering-fleet.ts';
import {
  type Fleet,
  names,
  nodeMemoryBytes,
  type PlannedServer,
  serverSize,
  serversOf,
  socketOf,
} from './scale-fleet.ts';

// Simulated clusters full of servers. It is a separate process, so that its cost does not count.

const [directory = '', installation = '', json = ''] = process.argv.slice(2);
const fleet: Fleet = JSON.parse(json);
const { locations, nodesPerLocation, areStopped = false, timing = {} } = fleet;
const members = Array.from({ length: nodesPerLocation }, (_, node) => nodeName(node));

/** Adds an instance as Berth defines it, so that a comparison finds no drift. */
function addServer({ model }: Simulator, planned: PlannedServer): void {
  const { project: projectName, pool, network } = names;
  const project = model.projects.get(projectName);
  if (!project) throw new Error('The project was not planted.');
  const { mac, name, node, uuid, ip } = planned;
  const server: Defined = {
    ...{ uuid, mac, ...serverSize, storagePool: pool },
    ...{ network: { kind: 'bridge', name: network }, os: { type: 'container' } },
    addresses: [{ ip, family: 4 }],
  };
  const instance: Instance = {
    project,
    name,
    type: 'container',
    description: '',
    config: { ...lastingConfig(server, installation), ...deniedCalls },
    devices: instanceDevices(server),
    profiles: [],
    ephemeral: false,
    createdAt: new Date(),
    lastUsedAt: new Date(),
    member: node,
    status: 'Stopped',
    disk: 'whole',
    files: new Map(),
  };
  enter(model, instance);
  if (areStopped) return;
  const run = startRun(name);
  run.hasAddresses = true;
  Object.assign(instance, { status: 'Running', run });
  model.hostInterfaces.set(run.hostName, instance);
}

for (let location = 0; location < locations; location += 1) {
  const simulator = await startSimulator({
    listen: { socketPath: socketOf(directory, location) },
    members,
    memoryBytes: nodeMemoryBytes(fleet),
    timing,
  });
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  for (const planned of serversOf(fleet, location)) addServer(simulator, planned);
}
