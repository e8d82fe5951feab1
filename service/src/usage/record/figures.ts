import type { Trx } from '../../db/connection.ts';
import { eachWithPauses } from '../../lib/pause.ts';
import { type Sample, slotOf } from '../history/samples.ts';
import type { CountedServer } from './counted-servers.ts';
import { type Counted, usageSince } from './counters.ts';
import {
  findServers,
  type NodeScrape,
  recallScrapes,
  type Shown,
  saveScrapes,
  show,
} from './figure-queries.ts';
import type { Reading, ReadingTime, ServerUsage } from './reading-queries.ts';
import type { ScrapeMemory } from './scrapes.ts';

/** A disk figure that is older says nothing about now. */
const diskMaxAgeMilliseconds = 10 * 60_000;

interface Counting {
  locationId: number;
  /** From `nextRecord`. */
  recorded: number;
  /** Updated; must be cleared if the transaction fails. */
  memory: ScrapeMemory;
}

/**
 * Counts and returns the usage since the previous scrape. The last counters of a server are in the
 * last scrape that has it, and in its current figures. Needs `lockUsage`. Ignores scrapes that are
 * too late, servers of other locations and, from their next refresh on, deleted ones.
 */
export async function countFigures(
  trx: Trx,
  readings: Reading[],
  { locationId, recorded, memory }: Counting,
): Promise<Sample[]> {
  if (readings.every(({ scrape }) => !scrape)) return [];
  await recallScrapes(trx, locationId, memory);
  const nodes = readings.flatMap((reading) => nodeReading(reading, memory));
  const news = await refreshKnown(trx, locationId, nodes, memory);
  const samples: Sample[] = [];
  const shown: Shown[] = [];
  const scrapes: NodeScrape[] = [];
  await eachWithPauses(nodes, ({ nodeId, begun, told }) => {
    const servers: CountedServer[] = [];
    for (const figures of told) {
      const server = memory.servers.get(figures.uuid);
      // If another node reported it since, it was moved in between.
      if (!server || server.recorded >= begun.order) continue;
      const sample = count(server, figures, { recorded, at: begun.at });
      server.nodeId = nodeId;
      memory.servers.set(figures.uuid, server);
      servers.push(server);
      samples.push(sample);
      const { cpu, ram } = sample;
      shown.push({ server, cpu: cpu ?? 0, ram, isNew: news.has(figures.uuid) });
    }
    memory.byNode.set(nodeId, { recorded, count: servers.length });
    scrapes.push({ nodeId, at: begun.at, recorded, servers });
  });
  memory.servers.deleteUnreported(new Set(nodes.map(({ nodeId }) => nodeId)), recorded);
  await saveScrapes(trx, scrapes);
  await show(trx, shown);
  return samples;
}

/**
 * Refreshes what is known of servers from the database. Returns those that have no current figures
 * yet.
 */
async function refreshKnown(
  trx: Trx,
  locationId: number,
  nodes: NodeReading[],
  memory: ScrapeMemory,
): Promise<Set<string>> {
  const told = nodes.flatMap((node) => node.told.map(({ uuid }) => uuid));
  const asked = told.filter((uuid) => memory.needsLookup(uuid));
  const found = await findServers(trx, locationId, asked);
  const news = new Set<string>();
  for (const uuid of asked) {
    const server = found.get(uuid);
    if (server) memory.rememberFound(server);
    else memory.servers.delete(uuid);
    if (server && !server.isShown) news.add(uuid);
  }
  return news;
}

interface NodeReading {
  nodeId: number;
  begun: ReadingTime;
  told: ServerUsage[];
}

/** Returns none if the scrape is too late, or empty like the previous one. */
function nodeReading({ begun, scrape }: Reading, { byNode }: ScrapeMemory): NodeReading[] {
  if (!scrape) return [];
  const { nodeId, servers: told } = scrape;
  const { recorded = 0, count: before = 0 } = byNode.get(nodeId) ?? {};
  const isNews = begun.order > recorded && (told.length > 0 || before > 0);
  return isNews ? [{ nodeId, begun, told }] : [];
}

/**
 * Counts the usage of a server, and updates its counters. A missing counter continues from its
 * last value.
 */
function count(
  server: CountedServer,
  { ramMb, ...counters }: ServerUsage,
  { recorded, at }: { recorded: number; at: Date },
): Sample {
  const { id, cores, disk } = server;
  const time = at.getTime();
  const last: Counted | undefined = server.recorded > 0 ? server : undefined;
  const use = usageSince(last, { ...counters, at: time, cores });
  server.recorded = recorded;
  server.at = time;
  server.cpuSeconds = counters.cpuSeconds;
  server.diskRead = counters.diskRead ?? server.diskRead;
  server.diskWritten = counters.diskWritten ?? server.diskWritten;
  return {
    serverId: id,
    slot: slotOf(at),
    cpu: use.cpuPercent,
    ram: ramMb,
    disk: disk && disk.at > time - diskMaxAgeMilliseconds ? disk.gb : null,
    diskRead: use.diskRead,
    diskWritten: use.diskWritten,
    trafficIn: null,
    trafficOut: null,
    samples: 1,
  };
}
