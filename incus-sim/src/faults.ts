/** How far an operation gets before it fails, which determines what remains: see each operation. */
export type Point = 'begin' | 'half' | 'end';

export interface OperationFault {
  text: string;
  /** The status of a typed error; 500 for one without a type. */
  status?: number;
  at: Point;
}

/** A push of a file that is interrupted after so many bytes, or finds no space for more. */
export interface PushFault {
  bytes: number;
  text: string;
  status: number;
}

interface Match {
  /** Defaults to any method. */
  method?: string;
  /** A regular expression for the path without its query. Defaults to any path. */
  path?: string;
  /** The member in its `target` parameter. Defaults to any, or none. */
  target?: string;
  /** The path in its `path` parameter, of a file in an instance. Defaults to any, or none. */
  file?: string;
  /** The number of requests; all of them by default. */
  times?: number;
}

/** A fault of matching requests. It is plain data, so that it can also be sent over HTTP. */
export type Fault = Match &
  (
    | { kind: 'delay'; ms: number }
    | { kind: 'error'; text: string; status: number }
    /** The connection is closed without a response, before or after the request is carried out. */
    | { kind: 'drop'; when: 'before' | 'after' }
    | ({ kind: 'operation' } & OperationFault)
    | ({ kind: 'push' } & PushFault)
  );

/** Faults of a guest. */
export interface GuestFaults {
  /** The system never boots: no address, no commands. */
  neverBoots?: boolean;
  ignoresShutdown?: boolean;
  /** What happens to a program that is run in it. */
  programs?: 'missing' | 'fails' | 'hangs' | 'floods' | 'killed';
  /** What exists instead of the progress file; `noise` is a file with other content. */
  reportIs?: 'fifo' | 'directory' | 'symlink' | 'noise' | 'long';
}

export interface Faults {
  /**
   * Returns a function that removes the fault, and returns whether it was still to come. Requests
   * that it delays then continue.
   */
  add(fault: Fault): () => boolean;
  /** How many requests are delayed now. */
  delayed(): number;
  /** For the instance with that name, or for all with `*`. An empty object removes it. */
  guest(instance: string, faults: GuestFaults): void;
  /** Image servers that answer, by host and port; initially none. */
  imageServers: Set<string>;
  /** Removes everything except the image servers. */
  clear(): void;
}

interface Requested {
  method: string;
  path: string;
  target: string | null;
  file: string | null;
}

/** The functions that the simulator itself uses. */
export interface FaultBook extends Faults {
  /** The faults for a request, each of which counts as used. */
  take(request: Requested): Fault[];
  /** Resolves once a fault's delay is over. */
  delay(fault: Fault & { kind: 'delay' }): Promise<void>;
  ofGuest(instance: string): GuestFaults;
}

export function createFaults(imageServers: readonly string[]): FaultBook {
  const faults = new Set<Fault>();
  const waiting = new Map<Fault, Set<() => void>>();
  const guests = new Map<string, GuestFaults>();

  function use(fault: Fault): void {
    if (fault.times === undefined) return;
    fault.times -= 1;
    if (fault.times <= 0) faults.delete(fault);
  }

  function goOn(fault: Fault): void {
    for (const end of waiting.get(fault) ?? []) end();
  }

  return {
    imageServers: new Set(imageServers),
    add(given) {
      const fault = { ...given };
      faults.add(fault);
      return () => {
        goOn(fault);
        return faults.delete(fault);
      };
    },
    delayed: () => [...waiting.values()].reduce((sum, { size }) => sum + size, 0),
    async delay(fault) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const ofFault = waiting.get(fault) ?? new Set();
      waiting.set(fault, ofFault.add(resolve));
      const timer = setTimeout(resolve, fault.ms).unref();
      await promise;
      clearTimeout(timer);
      ofFault.delete(resolve);
      if (ofFault.size === 0) waiting.delete(fault);
    },
    guest: (instance, behaviour) => void guests.set(instance, behaviour),
    clear() {
      for (const fault of waiting.keys()) goOn(fault);
      faults.clear();
      guests.clear();
    },
    take(request) {
      const matching = [...faults].filter((fault) => matches(fault, request));
      matching.forEach(use);
      return matching;
    },
    ofGuest: (instance) => ({ ...guests.get('*'), ...guests.get(instance) }),
  };
}

function matches(fault: Match, { method, path, target, file }: Requested): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.target !== undefined && fault.target !== target) return false;
  if (fault.file !== undefined && fault.file !== file) return false;
  return fault.path === undefined || new RegExp(fault.path).test(path);
}
