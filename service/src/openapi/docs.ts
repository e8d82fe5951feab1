import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { RouteOptions } from 'fastify';
import type { App } from '../callers/app-types.ts';
import { prefixes } from '../requests/api-path.ts';
import { sendConstant } from './constant-content.ts';
import { errorsPage } from './errors-page.ts';
import { openApiOptions } from './openapi.ts';

/** Pages of hundreds of kilobytes or more. */
const large = { scope: 'public', countsAs: 20 } as const;
const scriptUrl = '/docs/js/scalar.js';
// The URL stays the same for a new version.
const scriptCaching = 'public, max-age=3600';

/** The same on every installation, so that they reveal nothing about this one. */
const links = {
  documentation: '/docs',
  errors: '/docs/errors',
  openapi: '/openapi.json',
  api: '/v1',
} as const;
// The relations are those of RFC 8631.
const linkHeader = `<${links.documentation}>; rel="service-doc", <${links.openapi}>; rel="service-desc"`;

/**
 * `/openapi.json`, the documentation made of it at `/docs`, and `/docs/errors`, for anyone. `/` and the roots of the
 * API link to them.
 */
export function serveDocs(app: App): void {
  app.register(swagger, openApiOptions);
  app.register(async (docs: App) => {
    let document: string | undefined;
    docs.get(
      '/openapi.json',
      { config: large, onSend: sendConstant('no-cache') },
      async (_request, reply) => {
        document ??= JSON.stringify(docs.swagger());
        return reply.headers(forAnyPage).type('application/json; charset=utf-8').send(document);
      },
    );
    for (const url of ['/', ...prefixes]) {
      docs.get(url, { config: { scope: 'public' } }, async (_request, reply) =>
        reply.header('Link', linkHeader).send(links),
      );
    }
    // Browsers request it with any page.
    docs.get('/favicon.ico', { config: { scope: 'public' } }, async (_request, reply) =>
      reply.headers(forAnyPage).code(204).send(),
    );
    docs.get('/docs/errors', { config: { scope: 'public' } }, async (_request, reply) =>
      reply
        .header('Content-Security-Policy', ownStyleOnly)
        .type('text/html; charset=utf-8')
        .send(errorsPage()),
    );
  });
  app.register(serveReference);
}

const inNoFrame = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const ownStyleOnly = `default-src 'none'; style-src 'unsafe-inline'; ${inNoFrame}; sandbox`;
// Scalar compiles validators in the page, which counts as eval. It gets an opaque origin: it is the
// largest third-party script here, and must not have access to a session.
const sandboxed = `default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; ${inNoFrame}; sandbox allow-scripts allow-downloads`;
/** For files that the sandboxed page loads, whose origin is another one. */
const forAnyPage = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** The page's script comes from its package, and nothing from elsewhere: it works offline. */
async function serveReference(docs: App): Promise<void> {
  docs.addHook('onRequest', async (_request, reply) => {
    reply.headers({ ...forAnyPage, 'Content-Security-Policy': sandboxed });
  });
  const { route } = docs;
  docs.route = (options) => {
    const isScript = options.url === scriptUrl;
    Object.assign(options, { config: isScript ? large : { scope: 'public' } });
    if (isScript) {
      Object.assign(options, { onSend: [beginWithStorage, sendConstant(scriptCaching)] });
    }
    // This is generic over the types of any route, because the plugin does not set them.
    return route.call(docs, options as unknown as RouteOptions) as typeof docs;
  };
  await docs.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Berth API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // Requests from a page of no origin are refused by browsers.
      hideTestRequestButton: true,
      showDeveloperTools: 'never',
      authentication: { preferredSecurityScheme: 'token' },
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
}

/** Scalar stores the choices of the user. In a sandbox a page has no storage, and access to it throws. */
const storageInMemory = `for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map();
  const storage = {
    get length() { return kept.size; },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(String(key)) ?? null,
    setItem: (key, value) => void kept.set(String(key), String(value)),
    removeItem: (key) => void kept.delete(String(key)),
    clear: () => kept.clear(),
  };
  Object.defineProperty(window, name, { value: storage });
}
`;

async function beginWithStorage(_request: unknown, _reply: unknown, payload: unknown) {
  return typeof payload === 'string' ? storageInMemory + payload : payload;
}
