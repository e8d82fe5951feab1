import { type CertificateCalls, certificateCalls } from './certificates.ts';
import { type ConsoleCalls, consoleCalls } from './consoles.ts';
import { type ExecCalls, execCalls } from './exec.ts';
import { type FileCalls, fileCalls } from './files.ts';
import { type ImageCalls, imageCalls } from './images.ts';
import { type InstanceCalls, instanceCalls } from './instances.ts';
import { type NetworkAclCalls, networkAclCalls } from './network-acls.ts';
import { type NetworkCalls, networkCalls } from './networks.ts';
import { type OperationCalls, operationCalls } from './operations.ts';
import { type ProjectCalls, projectCalls } from './projects.ts';
import { type StorageCalls, storageCalls } from './storage.ts';
import { type CallObserver, createApi } from './transport/api.ts';
import type { IncusConnection } from './transport/connection.ts';
import { type ServerCalls, serverCalls } from './transport/server.ts';
import { createTransport } from './transport/transport.ts';

export type IncusOptions = IncusConnection & {
  /** The Incus project of all calls. */
  project: string;
  /** The timeout of a plain call; 10 s by default. */
  timeoutSeconds?: number;
  /** Called with each call when it has ended. */
  observe?: CallObserver | undefined;
};

/** The calls of Incus that Berth uses. They throw `EngineError`, or the reason of the signal of the caller. */
export interface IncusClient {
  project: string;
  server: ServerCalls;
  certificates: CertificateCalls;
  operations: OperationCalls;
  instances: InstanceCalls;
  files: FileCalls;
  exec: ExecCalls;
  consoles: ConsoleCalls;
  images: ImageCalls;
  projects: ProjectCalls;
  networks: NetworkCalls;
  networkAcls: NetworkAclCalls;
  storage: StorageCalls;
  /** Closes the connections. Calls in progress fail as `unreachable`. */
  close(): Promise<void>;
  /** The same calls in another Incus project, over the same connections, which its `close` leaves open. */
  inProject(project: string): IncusClient;
}

/** Creates a client, which connects with the first call. Events have a separate connection: see `watchEvents`. */
export function createIncusClient(options: IncusOptions): IncusClient {
  const { timeoutSeconds = 10, observe } = options;
  const transport = createTransport(options);
  const callsIn = (project: string, close: IncusClient['close']): IncusClient => {
    const api = createApi(transport, { project, timeoutSeconds, observe });
    const operations = operationCalls(api);
    return {
      project,
      server: serverCalls(api, transport.learn),
      certificates: certificateCalls(api),
      operations,
      instances: instanceCalls(api),
      files: fileCalls(api),
      exec: execCalls(api, options, operations),
      consoles: consoleCalls(api, options),
      images: imageCalls(api),
      projects: projectCalls(api),
      networks: networkCalls(api),
      networkAcls: networkAclCalls(api),
      storage: storageCalls(api),
      close,
      inProject: (other) => callsIn(other, async () => undefined),
    };
  };
  return callsIn(options.project, transport.close);
}
