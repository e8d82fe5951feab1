import { importWantedImages } from '../../images/importer.ts';
import { unbounded } from '../../network-policy/others.ts';
import { knownHoles, vulnerabilityWarning } from '../../nodes/known-holes.ts';
import { reconcileAllowances } from '../allowances.ts';
import { reconcileNetworkPolicy } from '../network-policy.ts';
import { syncSubnets } from '../subnets.ts';
import { stopSuspendedServers } from '../suspensions.ts';
import { probeTrafficLimits } from '../traffic-limits.ts';
import { removeLeftUnpacking, unpackImages } from '../unpacked-images.ts';
import { define } from './subject.ts';
import { eachSweep } from './sync.ts';

// Reconcilers that correct the configuration of a location's Incus, or record what it supports.

const reachabilityMilliseconds = 5000;

/**
 * Also runs on a schedule, in case the database was unavailable, and to show that a service watches
 * the location.
 */
export const reachability = define({
  name: 'reachability',
  every: { milliseconds: reachabilityMilliseconds },
  on: ['reachability_probed'],
  async run(subject) {
    await subject.reachability.write();
  },
});

export const networkPolicy = define({
  name: 'network-policy',
  on: ['nodes_synced', 'network_policy_wanted'],
  async run(subject) {
    const { location, log, watching } = subject;
    const { findApi, protectedAddresses, told } = watching;
    const others = await reconcileNetworkPolicy({ ...subject, findApi, protectedAddresses });
    const words = others.length > 0 ? unbounded(location.network, others) : '';
    if (told.isNew(location.id, 'others', words)) log.warn({ location: location.name }, words);
    return { others: others.length };
  },
});

export const subnets = define({
  name: 'subnets',
  on: ['nodes_synced'],
  async run(subject) {
    await syncSubnets(subject, subject.location);
  },
});

export const trafficLimits = define({
  name: 'traffic-limits',
  on: ['nodes_synced'],
  async run(subject) {
    await probeTrafficLimits(subject, subject.location);
  },
});

export const images = define({
  name: 'images',
  every: eachSweep,
  on: ['connected', 'image_wanted'],
  async run(subject, _, { trigger }) {
    const { imageDirectories: directories, imageServers } = subject.watching;
    await importWantedImages({ ...subject, directories, imageServers });
    trigger('images_imported');
  },
});

export const unpackedImages = define({
  name: 'unpacked-images',
  on: ['nodes_synced', 'images_imported'],
  async run(subject) {
    const { location, unpacking, watching } = subject;
    const context = { ...subject, pool: location.storage_pool, leader: watching.leader };
    return { unpacked: await unpackImages(context, unpacking) };
  },
});

/** Removes the instances of unpackings that were interrupted, whatever their node and image. */
export const leftUnpacking = define({
  name: 'left-unpacking',
  on: ['unpacking_seen'],
  async run(subject, name) {
    await removeLeftUnpacking({ ...subject, leader: subject.watching.leader }, name);
  },
});

export const engineVulnerabilities = define({
  name: 'engine-vulnerabilities',
  on: ['connected'],
  async run({ client, location, log, signal, watching: { told } }) {
    const { server_version } = (await client.server.info(undefined, { signal })).environment;
    const words = vulnerabilityWarning(server_version) ?? '';
    if (told.isNew(location.id, 'vulnerabilities', words))
      log.warn({ location: location.name }, words);
    return { vulnerabilities: knownHoles(server_version).length };
  },
});

/**
 * Runs apart from the counting of usage, which must not wait until the engine has applied a
 * throttle.
 */
export const allowances = define({
  name: 'allowances',
  on: ['usage_collected'],
  async run(subject) {
    await reconcileAllowances(subject);
  },
});

export const suspensions = define({
  name: 'suspensions',
  on: ['statuses_recorded'],
  async run(subject) {
    return { running: await stopSuspendedServers(subject) };
  },
});
