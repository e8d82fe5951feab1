import { errorOf } from './api.ts';
import type { WireResponse } from './transport.ts';

/** The usage of an instance since its start; null if its state does not contain it. */
export interface InstanceUse {
  cpuSeconds: number | null;
  /** Memory including the page cache. */
  memoryBytes: number | null;
}

/**
 * How the figures begin in the state of an instance. A guest chooses the names of its interfaces,
 * which are listed too; but a JSON string has no unescaped quotation mark, so that no name can look
 * like one of these.
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
