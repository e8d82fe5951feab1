import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** An instance's time from being switched on to being switched off. */
export interface Run {
  startedAt: Date;
  /** The first process of the guest, as seen by the host. */
  pid: number;
  /** The host's end of its NIC: a new one for each run. */
  hostName: string;
  /** The host name of the guest. */
  guestName: string;
  /** Bytes beyond what every instance moves; see `Administrator.transfer`. */
  moved: { incoming: number; outgoing: number };
  /** The system calls that its guest is denied, as configured at its start. */
  deniedCalls: string;
  /** Its memory limit at its start. */
  memoryAtStart: string;
  /** Bytes of memory beyond what every instance uses; see `Administrator.occupy`. */
  occupied: { own: number; shared: number };
  /** Whether its network is up. */
  hasAddresses: boolean;
  isOver(): boolean;
  /** Resolves at its end. */
  ended: Promise<void>;
  end(): void;
  freeze(): void;
  thaw(): void;
  /** The milliseconds during which it was not frozen. */
  awakeMs(): number;
  /**
   * Waits in the time of the guest, which stops while it is frozen. Never resolves after its end.
   */
  pause(ms: number): Promise<void>;
}

let lastPid = 1000;

export function startRun(guestName: string, { deniedCalls = '', memory = '' } = {}): Run {
  const power = new AbortController();
  setMaxListeners(0, power.signal);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let frozen: PromiseWithResolvers<void> | undefined;
  let frozenAt = 0;
  let frozenMs = 0;
  const startedAt = new Date();
  lastPid += 1;
  return {
    startedAt,
    pid: lastPid,
    hostName: `veth${randomBytes(4).toString('hex')}`,
    guestName,
    moved: { incoming: 0, outgoing: 0 },
    deniedCalls,
    memoryAtStart: memory,
    occupied: { own: 0, shared: 0 },
    hasAddresses: false,
    isOver: () => power.signal.aborted,
    ended,
    end() {
      power.abort();
      resolve();
    },
    freeze() {
      frozen = Promise.withResolvers<void>();
      frozenAt = Date.now();
    },
    thaw() {
      frozenMs += Date.now() - frozenAt;
      frozen?.resolve();
      frozen = undefined;
    },
    awakeMs: () => (frozen ? frozenAt : Date.now()) - startedAt.getTime() - frozenMs,
    async pause(ms) {
      // Interrupted at the end of the run, after which none of its work continues.
      await sleep(ms, undefined, { signal: power.signal, ref: false }).catch(() => {});
      while (frozen) await frozen.promise;
      if (power.signal.aborted) await new Promise(() => {});
    },
  };
}
