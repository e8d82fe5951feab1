import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../callers/app-types.ts';
import { prefixes } from '../requests/api-path.ts';
import type { ApiReference } from '../threads/api-reference.ts';
import { renderApiReference } from '../threads/threads.ts';
import { sendConstant } from './constant-content.ts';
import { errorsPage } from './errors-page.ts';

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
 * API link to them, except that `/` is a page for browsers if there is one. The document is the given file. Without one, it
 * is made from all routes, which takes most of a second.
 */
export async function serveDocs(app: App, file?: URL, page?: Page): Promise<void> {
  if (!file) await describeRoutes(app);
  app.register(async (docs: App) => {
    let document: string | undefined;
    docs.get(
      '/openapi.json',
      { config: large, onSend: sendConstant('no-cache') },
      async (_request, reply) => {
        document ??= file ? await readFile(file, 'utf8') : JSON.stringify(docs.swagger());
        return reply.headers(forAnyPage).type('application/json; charset=utf-8').send(document);
      },
    );
    for (const url of ['/', ...prefixes]) {
      docs.get(url, { config: { scope: 'public', countsAs: 1 } }, async (request, reply) => {
        if (url === '/' && page?.isWanted(request, reply)) return page.send(reply);
        return reply.header('Link', linkHeader).send(links);
      });
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

/** What browsers get at `/`. */
interface Page {
  isWanted(request: FastifyRequest, reply: FastifyReply): boolean;
  send(reply: FastifyReply): Promise<FastifyReply>;
}

/** Makes the document from the routes that are added from now on. */
async function describeRoutes(app: App): Promise<void> {
  const { default: swagger } = await import('@fastify/swagger');
  const { openApiOptions } = await import('./openapi.ts');
  app.register(swagger, openApiOptions);
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
  let rendering: Promise<ApiReference> | undefined;
  const rendered = async () => {
    rendering ??= renderApiReference(links.openapi);
    try {
      return await rendering;
    } catch (error) {
      // The next request tries again.
      rendering = undefined;
      throw error;
    }
  };
  docs.addHook('onRequest', async (_request, reply) => {
    reply.headers({ ...forAnyPage, 'Content-Security-Policy': sandboxed });
  });
  docs.get(
    '/docs/',
    { config: { scope: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const [path] = request.url.split('?');
      // The page names its script relative to itself.
      if (!path?.endsWith('/')) return reply.redirect('/docs/', 301);
      const { page } = await rendered();
      return reply.type('text/html; charset=utf-8').send(page);
    },
  );
  docs.get(
    scriptUrl,
    { config: large, schema: { hide: true }, onSend: sendConstant(scriptCaching) },
    async (_request, reply) => {
      const { script } = await rendered();
      return reply.type('application/javascript; charset=utf-8').send(storageInMemory + script);
    },
  );
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
