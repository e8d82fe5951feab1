import { existsSync, globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  leftoversOf,
  removeCgroup,
  removePrivateIncus,
  unmountBelow,
} from '../../e2e/private-incus.ts';
import { run } from '../../e2e/processes.ts';
import { removeService } from '../../e2e/service.ts';
import type { Names } from './cluster.ts';
import { incusDirOf, type Machine, makeMachine, makeSwitch, type Site } from './machine.ts';

/** Paths and names, which nothing else on the machine uses. */
export const site: Site = {
  directory: join(tmpdir(), 'berth-cluster'),
  bridge: 'berthcluster0',
  address: '10.253.84.6',
};
export const names: Names = {
  project: 'berth-cluster',
  pool: 'berth-cluster',
  network: 'berthbr0',
};

// All are in a network of eight addresses, so that it hides hardly any other address from this
// machine.
const places = [1, 2, 3].map((number) => ({
  name: `node-${number}`,
  address: `10.253.84.${number}`,
  cable: `berthcluster${number}`,
}));
/** The directories of the machines. */
export const incusDirs = places.map(({ name }) => incusDirOf(site, name));
const replicaNames = ['a', 'b'] as const;

/** The directories of PostgreSQL and of each replica. */
export const database = join(site.directory, 'database');
export const replicaDirectories = replicaNames.map((name) => join(site.directory, name));

export async function makeMachines(): Promise<Machine[]> {
  makeSwitch(site);
  return await Promise.all(places.map((place) => makeMachine(site, place)));
}

/**
 * Removes everything in any state: services, PostgreSQL, daemons, guests, namespaces, links,
 * mounts, loop devices, cgroups and directories. Throws if something remains.
 */
export async function removeEverything(): Promise<void> {
  for (const directory of [...replicaDirectories, database]) await removeService(directory);
  const incuses = incusDirs.map((incusDir) => ({ incusDir, bridges: [] }));
  const links = [...places.map(({ cable }) => cable), site.bridge];
  const left: string[] = [];
  for (const incus of incuses) left.push(...leftoversOf(incus, await removePrivateIncus(incus)));
  for (const link of links.filter(linkExists)) run('ip', ['link', 'delete', link]);
  for (const cgroup of cgroups()) await removeCgroup(cgroup);
  // A build of an image that was killed leaves its mounts.
  unmountBelow(site.directory);
  await rm(site.directory, { recursive: true, force: true });
  left.push(...links.filter(linkExists).map((link) => `the network link ${link}`));
  left.push(...cgroups().map((path) => `the cgroup ${path}`));
  if (left.length > 0) throw new Error(`Left behind: ${left.join('; ')}`);
}

const linkExists = (link: string) => existsSync(`/sys/class/net/${link}`);

/** LXC names them after the instance, with its project. */
const cgroups = () => globSync(`/sys/fs/cgroup/{,*/}lxc.*.${names.project}_*`);
