import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { requestIdPattern } from '@berth/contract/text';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';
import { type Logger, pino } from 'pino';
import { authenticate, callerOf } from '../access/authentication.ts';
import { claimDatabase } from '../access/claims.ts';
import type { App, Deps, Routes } from '../callers/app-types.ts';
import { aboutRequest } from '../changes/audit-entry.ts';
import { type Lookups, resolveReferences } from '../changes/references.ts';
import { closeIdleOnClose } from '../edge/closing.ts';
import type { Closing } from '../edge/connections.ts';
import { refuseAmbiguous } from '../edge/framing.ts';
import { defaultTimeouts, listenerFactory, type Timeouts } from '../edge/listener.ts';
import { isAmong } from '../edge/proxies.ts';
import { setSecurityHeaders } from '../edge/security-headers.ts';
import { plainShell, type ShellSettings } from '../edge/settings.ts';
import type { Tls } from '../edge/tls.ts';
import { serveHelp } from '../help/help.ts';
import type { Limiter } from '../limits/limiter.ts';
import { serveDocs } from '../openapi/docs.ts';
import { completeSchema } from '../openapi/route-schemas.ts';
import { servePanel } from '../panel/panel.ts';
import { handleError, nothingAtPath, sendProblem } from '../problems/answers.ts';
import { Problem } from '../problems/problem.ts';
import { auditChanges } from '../refusals/audit.ts';
import { requireAcceptable } from '../requests/accept.ts';
import { prefixes } from '../requests/api-path.ts';
import { acceptBodies } from '../requests/bodies/bodies.ts';
import { maxBytes } from '../requests/bodies/bounds.ts';
import { compileValidator } from '../requests/validation.ts';
import { boundStreams, type StreamSettings } from '../streams/streams.ts';
import { refuseUnreadable } from './client-errors.ts';
import { type HttpMetrics, serveMetrics } from './metrics.ts';
import { collectRoutes, type KnownRoute, methodsOf } from './route-table.ts';
import { compileSerializer } from './serialization.ts';

export interface HttpServerOptions<D extends Deps> extends Serving {
  deps: D;
  /** The routes of each noun, which are served under both prefixes. */
  routes: readonly Routes<D>[];
  /** Resolves the references in requests. */
  lookups: Lookups;
  limiter: Limiter;
}

/** How requests are served, regardless of the nouns. */
export interface Serving {
  /** The file with the document of the API. Without one, it is made from the routes. */
  openApi?: URL;
  /** The folder with the documentation site, which may be missing. */
  helpSite?: URL;
  /** The folder with the panel, which may be missing. */
  panelSite?: URL;
  metrics?: HttpMetrics | undefined;
  shell?: ShellSettings;
  tls?: Tls | undefined;
  /** For tests that should not wait. */
  timeouts?: Timeouts;
  log?: Logger;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route that is served. */
    readonly knownRoutes: KnownRoute[];
  }
}

/** The HTTP side of the service, ready to listen or to be injected into. */
export async function createHttpServer<D extends Deps>(
  options: HttpServerOptions<D>,
): Promise<App> {
  const { deps, routes, lookups, limiter, metrics, shell = plainShell } = options;
  const app = createInstance(options);
  const known = collectRoutes(app);
  app.decorate('knownRoutes', known);
  claimDatabase(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id);
    setSecurityHeaders(request, reply);
  });
  app.addHook('onSend', async (request, reply) => closeIfUnread(request, reply));
  refuseAmbiguous(app, shell.allowedHosts);
  // Fastify expects a body for it, and would check the media type before it looks for a route.
  app.addHttpMethod('QUERY', { overrideExisting: true });
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setErrorHandler(handleError);
  acceptBodies(app);
  authenticate(app, deps, limiter);
  auditChanges(app, deps.db);
  resolveReferences(app, deps, lookups);
  boundStreams(app, streamSettings(options));
  logRequests(app);
  closeIdleOnClose(app, (options.timeouts ?? defaultTimeouts).linger);
  app.addHook('onClose', async () => options.tls?.stop());
  refuseUnknown(app, known);
  const panel = options.panelSite && servePanel(app, options.panelSite);
  await serveDocs(app, options.openApi, panel);
  if (options.helpSite) serveHelp(app, options.helpSite);
  if (metrics) serveMetrics(app, metrics);
  for (const prefix of prefixes) {
    app.register(async (api: App) => serveApi(api, deps, routes), { prefix });
  }
  await app.ready();
  return app;
}

function createInstance(options: Serving): App {
  const { log = pino({ enabled: false }), shell = plainShell, tls } = options;
  const isProxy = isAmong(shell.trustedProxies);
  const { maxConnections } = shell;
  const closed = (why: Closing) => options.metrics?.connectionClosed(why);
  const times = options.timeouts ?? defaultTimeouts;
  return fastify({
    loggerInstance: log.child(
      {},
      { redact: ['req.headers.authorization', 'headers.authorization', 'headers.cookie'] },
    ),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    genReqId: idOfRequest,
    requestIdHeader: false,
    bodyLimit: maxBytes,
    trustProxy: shell.trustedProxies.length > 0 && ((address: string) => isProxy(address)),
    serverFactory: listenerFactory({ maxConnections, isProxy, closed, timeouts: times, tls }),
    // This is only used for the scheme of the printed address.
    ...(tls && { https: {} }),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, times.linger),
    frameworkErrors: (error, request, reply) => {
      setSecurityHeaders(request, reply);
      closeIfUnread(request, reply);
      request.server.limits.admitNotFound(request, reply).then(
        () => handleError(error, request, reply),
        (refusal: unknown) => handleError(refusal, request, reply),
      );
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App;
}

function streamSettings({ shell = plainShell, timeouts: times, metrics }: Serving): StreamSettings {
  const { maxStreams: most, maxEventStreams: mostEndless } = shell;
  const { leastSpeed: leastBytesPerSecond } = shell;
  const refused = (share: string) => metrics?.largeAnswerRefused(share);
  const endlessRefused = (share: string) => metrics?.eventStreamRefused(share);
  const { behind: behindMs } = times ?? defaultTimeouts;
  return { most, mostEndless, refused, endlessRefused, leastBytesPerSecond, behindMs };
}

/**
 * Closes the connection after an answer that did not wait for the body: the client could go on
 * sending forever.
 */
function closeIfUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete === false) reply.header('Connection', 'close');
}

const requestId = new RegExp(requestIdPattern);

/** The client's own id, if it can be logged unchanged. */
function idOfRequest(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestId.test(given) ? given : randomUUID();
}

function serveApi<D extends Deps>(api: App, deps: D, routes: readonly Routes<D>[]): void {
  api.addHook('onRoute', completeSchema);
  api.addHook('onRequest', requireAcceptable);
  api.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
  });
  for (const addRoutes of routes) addRoutes(api, deps);
}

/**
 * Logs one line per request, without its body, query and headers; docs/operations.md describes the
 * fields.
 */
function logRequests(app: App): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, url } = request;
    const path = routeOptions.config.hasSecretPath ? routeOptions.url : url.split('?')[0];
    const milliseconds = Math.round(reply.elapsedTime);
    const { address, tokenId: token_id, userId: user_id } = aboutRequest(request);
    const project_id = callerOf(request)?.project.id ?? null;
    // A proxy may send an invalid address.
    const who = { address: isIP(address) ? address : null, token_id, user_id, project_id };
    const what = { method, path, route: routeOptions.url, status: reply.statusCode, milliseconds };
    request.log.info({ ...who, ...what }, 'A request was answered.');
  });
}

/**
 * Answers an unknown path with 404, and a known one with another method with 405, both without
 * reading the body.
 */
function refuseUnknown(app: App, known: KnownRoute[]): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return answerUnknown(request, reply);
  });
  // For a handler that refuses the request after it has begun.
  app.setNotFoundHandler(answerUnknown);

  function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const methods = methodsOf(known, request.url);
    if (methods.length === 0) {
      return sendProblem(nothingAtPath(), request, reply);
    }
    reply.header('Allow', methods.join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    // Created only here, because the data of a locale take 20 ms to load, and 5 MB.
    const allOf = new Intl.ListFormat('en-GB', { type: 'conjunction' });
    const supported = allOf.format(methods);
    const detail = `This path does not support ${request.method}. It supports ${supported}.`;
    return sendProblem(new Problem('method_not_allowed', detail), request, reply);
  }
}
