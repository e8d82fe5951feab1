import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isRemembered } from '../access/authentication.ts';
import type { App } from '../callers/app-types.ts';
import type { Closing } from '../edge/connections.ts';
import { completeSchema } from '../openapi/route-schemas.ts';

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** The route, such as `/v1/servers/:id` with any prefix; `unknown` if there is none. */
  route: string;
  status: number;
  seconds: number;
}

/** Records requests, and renders the metrics. */
export interface HttpMetrics {
  answered(request: AnsweredRequest): void;
  /** `share`: whose share of large responses was used up, such as `token` or `all`. */
  largeAnswerRefused(share: string): void;
  /** `share`: the same of streams of events. */
  eventStreamRefused(share: string): void;
  connectionClosed(why: Closing): void;
  /**
   * Writes the metrics in parts, optionally without those that need the database. The event loop
   * takes a turn between parts, because there can be very many metrics.
   */
  write(type: MetricsType, what?: { ofDatabase: boolean }): AsyncGenerator<string>;
}

/** The formats that Prometheus asks for, and the default. */
const types = {
  openMetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  text: 'text/plain; version=0.0.4; charset=utf-8',
} as const;
export type MetricsType = keyof typeof types;

/** `GET /metrics`, and the counting of all requests. */
export function serveMetrics(app: App, metrics: HttpMetrics): void {
  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    // It lasts as long as its client likes.
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return;
    const { statusCode, elapsedTime } = reply;
    const route = routeOptions.url?.replace(/^\/api(?=\/v1\/)/, '') ?? 'unknown';
    metrics.answered({ method, route, status: statusCode, seconds: elapsedTime / 1000 });
  });
  app.register(async (child: App) => {
    child.addHook('onRoute', completeSchema);
    child.get('/metrics', { config, schema }, async (request, reply) => {
      const asked = request.headers.accept?.includes('application/openmetrics-text');
      const type = asked ? 'openMetrics' : 'text';
      const parts = metrics.write(type, { ofDatabase: !isRemembered(request) });
      reply.header('Cache-Control', 'no-store').type(types[type]);
      return await stream(request, reply, parts);
    });
  });
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: AsyncGenerator<string>,
): Promise<FastifyReply> {
  return reply.send(await request.server.streams.begin(request, reply, parts));
}

const config = {
  scope: 'metrics:read',
  worksWithoutDatabase: true,
  answersAnyHost: true,
} as const;

const schema = {
  operationId: 'metrics_view',
  summary: 'Get the metrics',
  description:
    'Returns the metrics of the service for Prometheus: as OpenMetrics if the client accepts it, otherwise in the text ' +
    'format of Prometheus. The path is not under `/v1`. While the database cannot be reached, only the metrics of the ' +
    'process are returned.',
  tags: ['Health'],
  response: {
    200: {
      description: 'All metrics. docs/metrics.md explains each one.',
      content: {
        'application/openmetrics-text': { schema: Type.String() },
        'text/plain': { schema: Type.String() },
      },
    },
  },
};
