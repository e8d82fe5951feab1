import { setTimeout as sleep } from 'node:timers/promises';
import type { Requests } from './requests.ts';

const everyMs = 40;
const readers = 2;

export interface Seen {
  /** The number of responses, and the 99th percentile of their duration. */
  reads: number;
  p99: number;
  /** Requests that no replica answered with success. */
  failed: string[];
  /** All states that were shown for a server: `status/real_status`. */
  states: Map<number, Set<string>>;
}

/** Clients that continuously read servers one after the other, independently of each other. */
export function beginReading(
  requests: Requests,
  servers: () => readonly number[],
): { end(): Promise<Seen> } {
  const times: number[] = [];
  const failed: string[] = [];
  const states = new Map<number, Set<string>>();
  let going = true;
  let turn = 0;

  async function read(path: string) {
    const answer = await requests.send<Record<string, string>>('GET', path);
    times.push(answer.milliseconds);
    if (answer.status === 200) return answer.body;
    throw new Error(`${path}: ${answer.status}`);
  }

  async function look(): Promise<void> {
    const ids = servers();
    const id = ids[turn % ids.length];
    turn += 1;
    if (id === undefined) return;
    try {
      const { status } = await read(`/servers/${id}`);
      const { real_status: real } = await read(`/servers/${id}/status`);
      states.set(id, (states.get(id) ?? new Set()).add(`${status}/${real}`));
    } catch (error) {
      failed.push(error instanceof Error ? error.message : String(error));
    }
  }

  async function repeat(): Promise<void> {
    while (going) {
      await look();
      await sleep(everyMs);
    }
  }

  const working = Promise.all(Array.from({ length: readers }, repeat));
  return {
    async end() {
      going = false;
      await working;
      const sorted = times.toSorted((a, b) => a - b);
      const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
      return { reads: times.length, p99: Math.round(p99), failed, states };
    },
  };
}
