import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { filesOf } from '../built-files/files.ts';
import { html, isNotBuilt, notBuiltPage, sendFile } from '../built-files/send.ts';
import type { App } from '../callers/app-types.ts';
import { nothingAtPath } from '../problems/answers.ts';
import { preferredType } from '../requests/accept.ts';

// A page loads about ten files.
const config = { scope: 'public', countsAs: 2 } as const;

/** The paths of the pages but the first, which the scripts of the panel tell apart. */
const pages = [
  ...['/setup', '/sign-in', '/authorize', '/account', '/servers', '/servers/*'],
  ...['/ssh-keys', '/ssh-keys/*', '/tokens', '/tokens/*', '/operations', '/events'],
  ...['/members', '/members/*', '/quota', '/audit', '/statement'],
  ...['/webhooks', '/webhooks/*', '/admin', '/admin/*'],
];

/** Where paths begin that are no pages of the panel, also if somebody mistypes the rest. */
const others = ['v1', 'api', 'docs', 'help', 'metrics', 'openapi.json', 'assets'];

/** What `panel/index.html` has in the place of the nonce. */
const placeholder = 'STYLE_NONCE';

/**
 * The scripts of the panel are the only ones, and reach nothing but this service. Its library of components writes styles
 * into the page, which need the nonce of the response.
 */
const policy = (styles: string) =>
  [
    ...["default-src 'none'", "script-src 'self'", `style-src 'self'${styles}`],
    ...["img-src 'self' data:", "connect-src 'self'", "font-src 'self'", "base-uri 'none'"],
    ...["form-action 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"],
    'trusted-types default',
  ].join('; ');

/**
 * Serves the panel, which `npm start` builds, for browsers, where it also says that a page does not exist. Other clients
 * get a 404 at its paths. Returns what browsers get at `/`.
 */
export function servePanel(app: App, folder: URL) {
  const find = filesOf(folder);
  for (const url of pages) {
    app.get(url, { config, schema: { hide: true } }, async (request, reply) => {
      if (!wantsPage(request, reply)) throw nothingAtPath();
      return await sendPage(reply);
    });
  }
  app.get('/assets/*', { config, schema: { hide: true } }, async (request, reply) => {
    const { '*': path } = request.params as { '*': string };
    const file = await findBuilt(`assets/${path}`);
    if (!file) throw nothingAtPath();
    reply.header('Content-Security-Policy', policy(''));
    return await sendFile(request, reply, file);
  });
  // No route for all paths, which would hide that some have other methods only.
  app.addHook('onSend', async (request, reply, problem) => {
    if (!request.is404 || reply.statusCode !== 404 || !mayBeMistyped(request)) return problem;
    const page = wantsPage(request, reply) && (await makePage(reply));
    if (!page) return problem;
    reply.type(html);
    return page;
  });
  return { isWanted: wantsPage, send: sendPage };

  /**
   * Sends the page, or what is in its place if it is not built. The page is another one each time, and fits into a packet,
   * so it has no `ETag` and is not compressed.
   */
  async function sendPage(reply: FastifyReply) {
    reply.type(html);
    const page = await makePage(reply);
    if (!page) return reply.code(404).send(notBuilt);
    return reply.header('Cache-Control', 'no-store').send(page);
  }

  /** The page, unless it is not built. It has a nonce of its own each time, so that no client keeps it. */
  async function makePage(reply: FastifyReply): Promise<string | undefined> {
    const page = await findBuilt('index.html');
    if (!page) return undefined;
    const nonce = randomBytes(16).toString('base64');
    const { plain } = await page.content();
    reply.header('Content-Security-Policy', policy(` 'nonce-${nonce}'`));
    return String(plain.body).replaceAll(placeholder, nonce);
  }

  async function findBuilt(path: string) {
    try {
      return await find(path);
    } catch (error) {
      if (isNotBuilt(error)) return undefined;
      throw error;
    }
  }
}

/** Whether somebody may have meant a page of the panel. */
function mayBeMistyped({ method, url }: FastifyRequest): boolean {
  const [, first = ''] = url.split(/[/?]/);
  return method === 'GET' && !others.includes(first);
}

/** Whether the client prefers HTML to JSON, as only browsers do. */
function wantsPage(request: FastifyRequest, reply: FastifyReply): boolean {
  reply.header('Vary', 'Accept');
  return preferredType(request, ['application/json', 'text/html']) === 'text/html';
}

const notBuilt = notBuiltPage(
  'The panel',
  'npm run build -w panel',
  '<code>npm start</code> does so as well. The API is described at <a href="/docs">/docs</a>.',
);
