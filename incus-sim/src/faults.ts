/** How far an operation comes before it fails, and so what it leaves: see each operation. */
export type Point = 'begin' | 'half' | 'end';

export interface OperationFault {
  text: string;
  /** Of a typed error; 500 for one without a type. */
  status?: number;
  at: Point;
}

interface Match {
  /** Any method, if not given. */
  method?: string;
  /** A regular expression for the path without its query; any path, if not given. */
  path?: string;
  /** For how many requests; for all of them, if not given. */
  times?: number;
}

/** What goes wrong with a request that matches. Plain data, so that it can also come by HTTP. */
export type Fault = Match &
  (
    | { kind: 'delay'; ms: number }
    | { kind: 'error'; text: string; status: number }
    /** The connection is closed without an answer, before or after what was asked for is done. */
    | { kind: 'drop'; when: 'before' | 'after' }
    | ({ kind: 'operation' } & OperationFault)
  );

/** How a guest misbehaves. */
export interface GuestFaults {
  /** Its system never comes up: no address, no commands. */
  neverBoots?: boolean;
  ignoresShutdown?: boolean;
  /** What stands in the place of the file in which it reports; `noise` is a file of another's. */
  reportIs?: 'fifo' | 'directory' | 'symlink' | 'noise' | 'long';
}

export interface Faults {
  /** Answers how to take it back, which tells whether it was still to come. */
  add(fault: Fault): () => boolean;
  /** For the instance of that name; for all, with `*`. An empty object takes it back. */
  guest(instance: string, faults: GuestFaults): void;
  /** Image servers that answer, by host and port; there are none at first. */
  imageServers: Set<string>;
  /** Takes back everything but the image servers. */
  clear(): void;
}

/** What the simulator itself asks of the faults. */
export interface FaultBook extends Faults {
  /** Those for a request; each counts as used. */
  take(method: string, path: string): Fault[];
  ofGuest(instance: string): GuestFaults;
}

export function createFaults(imageServers: readonly string[]): FaultBook {
  const faults = new Set<Fault>();
  const guests = new Map<string, GuestFaults>();

  function use(fault: Fault): void {
    if (fault.times === undefined) return;
    fault.times -= 1;
    if (fault.times <= 0) faults.delete(fault);
  }

  return {
    imageServers: new Set(imageServers),
    add(given) {
      const fault = { ...given };
      faults.add(fault);
      return () => faults.delete(fault);
    },
    guest: (instance, behaviour) => void guests.set(instance, behaviour),
    clear() {
      faults.clear();
      guests.clear();
    },
    take(method, path) {
      const matching = [...faults].filter((fault) => matches(fault, method, path));
      matching.forEach(use);
      return matching;
    },
    ofGuest: (instance) => ({ ...guests.get('*'), ...guests.get(instance) }),
  };
}

function matches(fault: Match, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  return fault.path === undefined || new RegExp(fault.path).test(path);
}
