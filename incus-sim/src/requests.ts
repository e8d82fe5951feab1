import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, failed } from './answers.ts';
import { certificateRoutes, isTrusted, trustStranger } from './certificates.ts';
import { consoleRoutes } from './console.ts';
import type { Engine } from './engine.ts';
import { execRoutes } from './exec.ts';
import { fileRoutes } from './files.ts';
import { imageRoutes } from './images.ts';
import { stateRoutes } from './instance-state.ts';
import { instanceRoutes } from './instances.ts';
import { memberStateRoutes } from './member-state.ts';
import { memberRoutes } from './members.ts';
import { metricsRoutes } from './metrics.ts';
import { networkAclRoutes } from './network-acls.ts';
import { networkRoutes } from './networks.ts';
import { operationRoutes } from './operation-routes.ts';
import { poolRoutes } from './pools.ts';
import { projectRoutes } from './projects.ts';
import { isRefusal } from './refusal.ts';
import { createRouter, type Routes } from './router.ts';
import { serverRoutes, untrustedView } from './server.ts';

/** Answers requests as Incus does, and applies the faults. */
export function createRequestListener(engine: Engine, control: Routes) {
  const route = createRouter([
    serverRoutes(engine),
    certificateRoutes(engine),
    memberRoutes(engine),
    memberStateRoutes(engine),
    projectRoutes(engine),
    poolRoutes(engine),
    networkRoutes(engine),
    networkAclRoutes(engine),
    imageRoutes(engine),
    instanceRoutes(engine),
    stateRoutes(engine),
    fileRoutes(engine),
    execRoutes(engine),
    consoleRoutes(engine),
    operationRoutes(engine),
    metricsRoutes(engine),
    control,
  ]);

  async function answer(request: IncomingMessage): Promise<Answer | 'drop'> {
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', 'http://incus');
    const found = route(method, url.pathname);
    const call = {
      parts: found?.parts ?? {},
      query: url.searchParams,
      project: url.searchParams.get('project') ?? 'default',
      headers,
      body: request,
    };
    if (!isTrusted(engine.model, request)) {
      if (method === 'POST' && url.pathname === '/1.0/certificates') {
        return await trustStranger(engine.model, call, request);
      }
      return url.pathname === '/1.0' ? untrustedView() : failed('not authorized', 403);
    }
    const target = url.searchParams.get('target');
    const file = url.searchParams.get('path');
    const faults = engine.faults.take({ method, path: url.pathname, target, file });
    for (const fault of faults) {
      if (fault.kind === 'delay') await engine.faults.delay(fault);
      if (fault.kind === 'error') return failed(fault.text, fault.status);
      if (fault.kind === 'drop' && fault.when === 'before') return 'drop';
    }
    const fault = faults.find((one) => one.kind === 'operation');
    const pushFault = faults.find((one) => one.kind === 'push');
    const answered = found
      ? await found.handler({ ...call, fault, pushFault })
      : failed('not found', 404);
    return faults.some(({ kind }) => kind === 'drop') ? 'drop' : answered;
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const answered = await answer(request);
      if (answered === 'drop') request.socket.destroy();
      else await send(response, answered);
    } catch (error) {
      // The client disconnected during its request.
      if (request.socket.destroyed) return;
      if (!isRefusal(error)) throw error;
      await send(response, failed(error.message, error.status));
    }
  };
}

async function send(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  response.writeHead(status, headers);
  if (body instanceof Promise) {
    response.flushHeaders();
    response.end(await body);
  } else response.end(body);
}
