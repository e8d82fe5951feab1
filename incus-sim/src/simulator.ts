import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { type Administrator, administratorOf } from './administrator.ts';
import { controlRoutes } from './control.ts';
import { createEngine, type Engine, type EngineOptions } from './engine.ts';
import type { EventFaults } from './events.ts';
import type { Faults } from './faults.ts';
import { isTrusted, type Listening, listen, type Place, type Upgrade } from './listening.ts';
import type { Model } from './model.ts';
import { type Belongings, plant } from './plant.ts';
import { refuse } from './refusal.ts';
import { createRequestListener } from './requests.ts';

export interface SimulatorOptions extends EngineOptions {
  listen: Place;
}

/** What can be done to it that no client of Incus could. */
export interface SimulatorControls {
  faults: Faults;
  administrator: Administrator;
  disturbEvents(faults: EventFaults): void;
  fillPool(name: string, full: boolean): void;
  takeMemberDown(name: string, down: boolean): void;
  /** Resolves when it answers again. Instances run on; what was under way stops where it is. */
  restartDaemon(absentMs?: number): Promise<void>;
  /** Makes what a client would have to make first. */
  plant(belongings: Belongings): void;
}

export interface Simulator extends SimulatorControls {
  socketPath: string;
  /** Where it listens with certificates. */
  url: string;
  /** Instances by project, for tests with very many: as though they had always been there. */
  model: Model;
  close(): Promise<void>;
}

/** A simulated Incus. It keeps everything in memory, and its servers are not real. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const engine = createEngine(options);
  let listening: Listening | undefined;
  const controls: SimulatorControls = {
    ...controlsOf(engine),
    async restartDaemon(absentMs = 0) {
      await listening?.stop();
      loseEverythingUnderWay(engine);
      await sleep(absentMs);
      listening = await open();
    },
  };
  const trusts = (request: IncomingMessage) => isTrusted(options.listen, request);
  const onRequest = createRequestListener(engine, controlRoutes(controls), trusts);
  const onUpgrade = eventUpgrade(engine, trusts);
  const open = () => listen(options.listen, onRequest, onUpgrade);
  listening = await open();
  return {
    ...controls,
    socketPath: listening.socketPath ?? '',
    url: listening.url ?? '',
    model: engine.model,
    async close() {
      await listening?.stop();
      loseEverythingUnderWay(engine);
      for (const project of engine.model.projects.values()) {
        for (const { run } of project.instances.values()) run?.end();
      }
    },
  };
}

function controlsOf(engine: Engine): Omit<SimulatorControls, 'restartDaemon'> {
  const { model, faults, events } = engine;
  return {
    faults,
    administrator: administratorOf(engine),
    disturbEvents: events.disturb,
    fillPool(name, full) {
      const pool = model.pools.get(name) ?? refuse('Storage pool not found', 404);
      pool.full = full;
    },
    takeMemberDown(name, down) {
      const member = model.members.get(name) ?? refuse('Cluster member not found', 404);
      if (down) member.downSince = Date.now();
      else delete member.downSince;
    },
    plant: (belongings) => plant(engine, belongings),
  };
}

function loseEverythingUnderWay({ model, operations, events }: Engine): void {
  operations.forgetAll();
  events.disconnectAll();
  for (const project of model.projects.values()) {
    for (const instance of project.instances.values()) delete instance.lock;
  }
  for (const { volumes } of model.pools.values()) {
    for (const ofProject of volumes.values()) {
      for (const volume of ofProject.values()) delete volume.unpacking;
    }
  }
}

/** `GET /1.0/events` as a websocket. */
function eventUpgrade({ events }: Engine, trusts: (request: IncomingMessage) => boolean): Upgrade {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  return (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://incus');
    const refuseWith = (status: string) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
    if (!trusts(request)) return refuseWith('403 Forbidden');
    if (url.pathname !== '/1.0/events') return refuseWith('404 Not Found');
    return sockets.handleUpgrade(request, socket, head, (client) => {
      const types = url.searchParams.get('type')?.split(',') ?? ['lifecycle', 'operation'];
      const all = url.searchParams.get('all-projects') === 'true';
      const project = all ? undefined : (url.searchParams.get('project') ?? 'default');
      events.connect(client, { types, project });
    });
  };
}
