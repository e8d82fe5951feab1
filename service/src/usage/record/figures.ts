import type { Trx } from '../../db/connection.ts';
import { type Sample, slotOf } from '../history/samples.ts';
import { type Counted, useSince } from './counters.ts';
import {
  findServers,
  type NodeScrape,
  recallScrapes,
  type Shown,
  saveScrapes,
  show,
} from './figure-queries.ts';
import type { Figures, Reading, ReadingTime } from './reading-queries.ts';
import type { CountedServer, Scrape, ScrapeMemory } from './scrapes.ts';

/** A figure of the disk that is older tells nothing of now. */
const diskHoldsMilliseconds = 10 * 60_000;

interface Counting {
  locationId: number;
  /** Of `nextRecord`. */
  recorded: number;
  /** Is changed: it has to forget where the transaction fails. */
  memory: ScrapeMemory;
}

/**
 * Counts what was used since the scrape before, and answers it. Each server's last counters are in the
 * last scrape that told of it, or in the figures of now: those are written in turns, and once its node
 * tells of it no more. Needs `lockUsage`. A scrape that came too late is left alone, and so are servers of
 * other locations, and those that are deleted, from when they are looked up on.
 */
export async function countFigures(
  trx: Trx,
  readings: Reading[],
  { locationId, recorded, memory }: Counting,
): Promise<Sample[]> {
  if (readings.every(({ scrape }) => !scrape)) return [];
  await recallScrapes(trx, locationId, memory);
  const nodes = readings.flatMap((reading) => nodeReading(reading, memory));
  const news = await lookUp(trx, locationId, nodes, memory);
  const samples: Sample[] = [];
  const shown: Shown[] = [];
  const scrapes: NodeScrape[] = [];
  for (const { nodeId, begun, told } of nodes) {
    const scrape: Scrape = { recorded, servers: [] };
    for (const figures of told) {
      const server = memory.byUuid.get(figures.uuid);
      // Where another node told of it since, it was moved in between.
      if (!server || server.recorded >= begun.order) continue;
      const sample = count(server, figures, { recorded, at: begun.at });
      server.nodeId = nodeId;
      scrape.servers.push(server);
      samples.push(sample);
      if (!memory.takesTurn(server)) continue;
      const { cpu, ram } = sample;
      shown.push({ server, cpu: cpu ?? 0, ram, isNew: news.has(server.uuid) });
    }
    memory.byNode.set(nodeId, scrape);
    scrapes.push({ nodeId, at: begun.at, ...scrape });
  }
  for (const server of nodes.flatMap((node) => endedOn(node, recorded))) {
    memory.byUuid.delete(server.uuid);
    shown.push({ server, cpu: null, ram: null, isNew: false });
  }
  await saveScrapes(trx, scrapes);
  await show(trx, shown);
  return samples;
}

/** Of whom a node tells no more, and no other node does. */
const endedOn = ({ nodeId, before }: NodeReading, recorded: number) =>
  before.filter((server) => server.recorded !== recorded && server.nodeId === nodeId);

/** Makes sure that servers are known as the database knows them. Answers whose figures of now are yet to be made. */
async function lookUp(
  trx: Trx,
  locationId: number,
  nodes: NodeReading[],
  memory: ScrapeMemory,
): Promise<Set<string>> {
  const told = nodes.flatMap((node) => node.told.map(({ uuid }) => uuid));
  const asked = told.filter((uuid) => memory.isToBeFound(uuid));
  const found = await findServers(trx, locationId, asked);
  const news = new Set<string>();
  for (const uuid of asked) {
    const server = found.get(uuid);
    if (server) memory.noteFound(server);
    else memory.byUuid.delete(uuid);
    if (server && !server.isShown) news.add(uuid);
  }
  return news;
}

interface NodeReading {
  nodeId: number;
  begun: ReadingTime;
  told: Figures[];
  /** Whom it told of before. */
  before: CountedServer[];
}

/** None where it came too late, or a node tells of nothing, as before. */
function nodeReading({ begun, scrape }: Reading, { byNode }: ScrapeMemory): NodeReading[] {
  if (!scrape) return [];
  const { nodeId, servers: told } = scrape;
  const { recorded = 0, servers: before = [] } = byNode.get(nodeId) ?? {};
  const isNews = begun.order > recorded && (told.length > 0 || before.length > 0);
  return isNews ? [{ nodeId, begun, told, before }] : [];
}

/** Counts what a server used, and notes its counters. What is not told goes on from what was told last. */
function count(
  server: CountedServer,
  { ramMb, ...counters }: Figures,
  { recorded, at }: { recorded: number; at: Date },
): Sample {
  const { id, cores, disk } = server;
  const time = at.getTime();
  const last: Counted | undefined = server.recorded > 0 ? server : undefined;
  const use = useSince(last, { ...counters, at: time, cores });
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
    disk: disk && disk.at > time - diskHoldsMilliseconds ? disk.gb : null,
    diskRead: use.diskRead,
    diskWritten: use.diskWritten,
    trafficIn: null,
    trafficOut: null,
    samples: 1,
  };
}
