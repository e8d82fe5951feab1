import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Administrator, administratorOf } from './administrator.ts';
import { fingerprintOfPem, issueToken, isTrusted, type TokenOptions } from './certificates.ts';
import { controlRoutes } from './control.ts';
import { createEngine, type Engine, type EngineOptions, type Timing } from './engine.ts';
import type { EventFaults } from './events.ts';
import type { Faults } from './faults.ts';
import { type Listening, listen, type Place, type Upgrade } from './listening.ts';
import type { Model } from './model.ts';
import { type Belongings, plant } from './plant.ts';
import { refuse } from './refusal.ts';
import { createRequestListener } from './requests.ts';

export interface SimulatorOptions extends EngineOptions {
  listen: Place;
  /** More addresses, such as those of other members of its cluster. */
  alsoListen?: readonly Place[];
}

/** Controls that no client of Incus has. */
export interface SimulatorControls {
  faults: Faults;
  administrator: Administrator;
  disturbEvents(faults: EventFaults): void;
  /** Closes the connections of all clients that follow its events. */
  cutEvents(): void;
  /** How many clients follow its events. */
  followers(): number;
  /** Changes how long actions take from now on. */
  setTiming(changes: Partial<Timing>): void;
  fillPool(name: string, full: boolean): void;
  takeMemberDown(name: string, down: boolean): void;
  /**
   * Restarts the daemon. Resolves when it answers again: after that time, or once the promise has
   * resolved. Instances keep running; operations in progress stop where they are.
   */
  restartDaemon(absent?: number | Promise<unknown>): Promise<void>;
  /** Creates what a client would have to create first. */
  plant(belongings: Belongings): void;
}

export interface Simulator extends SimulatorControls {
  socketPath: string;
  /** The URL that it listens on with certificates; `alsoListen` returns others. */
  url: string;
  otherUrls: string[];
  /** Stops listening at one of its addresses, or listens there again. Everything else continues. */
  setListening(url: string, isListening: boolean): Promise<void>;
  /** Accepts requests at one of its addresses and never answers them, like a hanging machine. */
  setSilent(url: string, isSilent: boolean): void;
  /** How many requests, such as `GET /1.0?target=a`, it accepted while it was silent. */
  unanswered(like: RegExp): number;
  /** The output of `incus config trust add` there. */
  issueToken(name: string, options?: TokenOptions): string;
  /** Adds instances by project, for tests with very many. */
  model: Model;
  close(): Promise<void>;
}

/** A simulated Incus. It keeps everything in memory, and its servers are not real. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const engine = createEngine(options);
  const places = [options.listen, ...(options.alsoListen ?? [])].map((place) => ({ ...place }));
  engine.model.ownFingerprint = fingerprintAt(places);
  for (const place of places) trustFromTheStart(engine, place);
  let listening: Listening[] = [];
  const stopAll = async () => void (await Promise.all(listening.map((one) => one.stop())));
  const controls: SimulatorControls = {
    ...controlsOf(engine),
    async restartDaemon(absent = 0) {
      await stopAll();
      loseEverythingUnderWay(engine);
      await (typeof absent === 'number' ? sleep(absent) : absent);
      listening = await open();
    },
  };
  const onRequest = createRequestListener(engine, controlRoutes(controls));
  const onUpgrade = upgradeOf(engine);
  const open = async () =>
    await Promise.all(places.map((place) => listen(place, onRequest, onUpgrade)));
  listening = await open();
  // A restart listens on the same port.
  const urls = listening.flatMap(({ url }, at) => {
    const place = places[at];
    if (url && place && 'cert' in place) place.port = Number(new URL(url).port);
    return url ?? [];
  });
  return {
    ...controls,
    socketPath: listening[0]?.socketPath ?? '',
    url: listening[0]?.url ?? '',
    otherUrls: listening.slice(1).flatMap(({ url }) => url ?? []),
    async setListening(url, isListening) {
      const at = listening.findIndex((one) => one.url === url);
      const place = places[at] ?? refuse(`It does not listen at ${url}`);
      await listening[at]?.stop();
      if (isListening) listening[at] = await listen(place, onRequest, onUpgrade);
    },
    setSilent(url, isSilent) {
      for (const one of listening) if (one.url === url) one.silence(isSilent);
    },
    unanswered: (like) =>
      listening.flatMap(({ unanswered }) => unanswered.filter((one) => like.test(one))).length,
    issueToken(name, tokenOptions) {
      // Those of the process that creates it, and not of the whole cluster.
      const addresses = urls.slice(0, 1).map((url) => new URL(url).host);
      const server = { fingerprint: engine.model.ownFingerprint, addresses };
      return issueToken(engine.model, name, server, tokenOptions);
    },
    model: engine.model,
    async close() {
      await stopAll();
      loseEverythingUnderWay(engine);
      for (const project of engine.model.projects.values()) {
        for (const { run } of project.instances.values()) run?.end();
      }
    },
  };
}

/** The fingerprint of its certificate. A socket presents none, so it tells the one of another place if there is one. */
function fingerprintAt(places: readonly Place[]): string {
  for (const place of places) if ('cert' in place) return fingerprintOfPem(place.cert);
  // A machine keeps its certificate when it restarts.
  const [path = ''] = places.flatMap((place) => ('socketPath' in place ? place.socketPath : []));
  return createHash('sha256').update(resolve(path)).digest('hex');
}

function trustFromTheStart({ model }: Engine, place: Place): void {
  if ('socketPath' in place || !place.clientCert) return;
  const fingerprint = fingerprintOfPem(place.clientCert);
  model.trust.certificates.set(fingerprint, { name: 'client', restricted: false });
}

function controlsOf(engine: Engine): Omit<SimulatorControls, 'restartDaemon'> {
  const { model, faults, events } = engine;
  return {
    faults,
    administrator: administratorOf(engine),
    disturbEvents: events.disturb,
    cutEvents: events.disconnectAll,
    followers: events.followers,
    setTiming: (changes) => void Object.assign(engine.timing, changes),
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

function loseEverythingUnderWay({ model, operations, events, sessions }: Engine): void {
  operations.forgetAll();
  sessions.clear();
  events.disconnectAll();
  for (const project of model.projects.values()) {
    for (const instance of project.instances.values()) delete instance.lock;
    project.awaited.clear();
  }
  for (const { volumes } of model.pools.values()) {
    for (const ofProject of volumes.values()) {
      for (const volume of ofProject.values()) delete volume.unpacking;
    }
  }
}

/** `GET /1.0/events`, and the connections of programs in instances, as websockets. */
function upgradeOf({ events, model, sessions }: Engine): Upgrade {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const takerOf = ({ pathname, searchParams: query }: URL) => {
    if (pathname === '/1.0/events') {
      const types = query.get('type')?.split(',') ?? ['lifecycle', 'operation'];
      const all = query.get('all-projects') === 'true';
      const project = all ? undefined : (query.get('project') ?? 'default');
      return (client: WebSocket) => events.connect(client, { types, project });
    }
    const [, id = ''] = /^\/1\.0\/operations\/([^/]+)\/websocket$/.exec(pathname) ?? [];
    return sessions.get(id)?.takerOf(query.get('secret') ?? '');
  };
  return (request, socket, head) => {
    // A client may leave before it is answered.
    socket.on('error', () => socket.destroy());
    const refuseWith = (status: string) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
    if (!isTrusted(model, request)) return refuseWith('403 Forbidden');
    const take = takerOf(new URL(request.url ?? '/', 'http://incus'));
    if (!take) return refuseWith('404 Not Found');
    return sockets.handleUpgrade(request, socket, head, take);
  };
}
