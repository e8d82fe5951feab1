import { errorOf } from './api.ts';
import type { WireResponse } from './transport.ts';

/** What an instance has used since it started; null where its state does not tell. */
export interface InstanceUse {
  cpuSeconds: number | null;
  /** With the page cache. */
  memoryBytes: number | null;
}

/**
 * How the state of an instance begins to tell of them. A guest names its interfaces, which are listed, too,
 * but in JSON no name has an unescaped quotation mark, and what stands behind one begins otherwise.
 */
const figures = { cpu: /"cpu":\{"usage":(\d+)[,}]/, memory: /"memory":\{"usage":(\d+)[,}]/ };
/** No figure is longer, with what stands before it. */
const overlap = 64;
const nanosecondsPerSecond = 1e9;

/** Reads them out of a state that may list very many interfaces, and keeps none of these in memory. */
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
