import { errorOf } from './api.ts';
import type { WireResponse } from './transport.ts';

/** The usage of an instance since its start; null if its state does not contain it. */
export interface InstanceUse {
  cpuSeconds: number | null;
  /** The memory in bytes, including the page cache. */
  memoryBytes: number | null;
}

/**
 * The patterns of the values in the state of an instance. The state also lists the interfaces, whose names a guest
 * chooses. No name can match a pattern, because a JSON string contains no unescaped quotation mark.
 */
const figures = { cpu: /"cpu":\{"usage":(\d+)[,}]/, memory: /"memory":\{"usage":(\d+)[,}]/ };
/** The maximum length of a match. */
const overlap = 64;
const nanosecondsPerSecond = 1e9;

/** Reads the usage from a state that may list very many interfaces, without keeping them in memory. */
export async function readUse(response: WireResponse): Promise<InstanceUse> {
  if (response.statusCode >= 400) throw await errorOf(response);
  let text = '';
  let cpu: string | undefined;
  let memory: string | undefined;
  for await (const piece of response.body) {
    text += piece.toString('latin1');
    cpu ??= figures.cpu.exec(text)?.[1];
    memory ??= figures.memory.exec(text)?.[1];
    text = text.slice(-overlap);
  }
  return {
    cpuSeconds: cpu === undefined ? null : Number(cpu) / nanosecondsPerSecond,
    memoryBytes: memory === undefined ? null : Number(memory),
  };
}
