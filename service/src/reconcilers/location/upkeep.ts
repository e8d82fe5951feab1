import { importWantedImages } from '../../images/importer.ts';
import { unbounded } from '../../network-policy/others.ts';
import { knownHoles, knownHolesNote } from '../../nodes/known-holes.ts';
import { keepAllowances } from '../allowances.ts';
import { keepNetworkPolicy } from '../network-policy.ts';
import { enterSubnets } from '../subnets.ts';
import { tryTrafficLimits } from '../traffic-limits.ts';
import { eachSweep } from './looks.ts';
import { define } from './subject.ts';

// What follows from how a location is, and is to be.

const reachabilityMilliseconds = 5000;

/** In order, and again while the database could not take it. */
export const reachability = define({
  name: 'reachability',
  every: { milliseconds: reachabilityMilliseconds },
  on: ['reachability_seen'],
  async run({ reach }) {
    await reach.enter();
  },
});

export const networkPolicy = define({
  name: 'network-policy',
  on: ['nodes_read', 'network_policy_wanted'],
  async run(subject) {
    const { location, log, warned, watching } = subject;
    const { findApi, protectedAddresses } = watching;
    const others = await keepNetworkPolicy({ ...subject, findApi, protectedAddresses });
    const words = others.length > 0 ? unbounded(location.network, others) : '';
    if (words && words !== warned.others) log.warn({ location: location.name }, words);
    warned.others = words;
    return { others: others.length };
  },
});

export const subnets = define({
  name: 'subnets',
  on: ['nodes_read'],
  async run(subject) {
    await enterSubnets(subject, subject.location);
  },
});

export const trafficLimits = define({
  name: 'traffic-limits',
  on: ['nodes_read'],
  async run(subject) {
    await tryTrafficLimits(subject, subject.location);
  },
});

export const images = define({
  name: 'images',
  every: eachSweep,
  on: ['connected', 'image_wanted'],
  async run(subject) {
    const { imageDirectories: directories, imageServers } = subject.watching;
    await importWantedImages({ ...subject, directories, imageServers });
  },
});

export const engineHoles = define({
  name: 'engine-holes',
  on: ['connected'],
  async run({ client, location, log, signal, warned }) {
    const { server_version } = (await client.server.info(undefined, { signal })).environment;
    const note = knownHolesNote(server_version);
    if (note !== undefined && !warned.holes.has(note)) {
      warned.holes.add(note);
      log.warn({ location: location.name }, note);
    }
    return { holes: knownHoles(server_version).length };
  },
});

/** Beside the counting, which does not wait for the engine to do what an allowance means. */
export const allowances = define({
  name: 'allowances',
  on: ['counted'],
  async run(subject) {
    await keepAllowances(subject);
  },
});
