import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../callers/app-types.ts';
import { answerWith } from '../openapi/constant-content.ts';
import { filesOf, type SiteFile } from './files.ts';

// A page loads about ten files.
const config = { scope: 'public', countsAs: 2 } as const;

/**
 * The scripts of the site come from libraries, and share the origin of the API. They load only each other: none can make a
 * request with the session of a user, because the policy forbids connections and forms.
 */
const policy = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'"],
  ...["img-src 'self' data:", "connect-src 'none'", "base-uri 'none'", "form-action 'none'"],
  "frame-ancestors 'none'",
].join('; ');

const forever = 'public, max-age=31536000, immutable';

/** Serves the documentation site, which `npm run docs` builds, at `/help`, for anyone. */
export function serveHelp(app: App, folder: URL): void {
  const find = filesOf(folder);
  app.register(async (help: App) => {
    help.addHook('onRequest', async (_request, reply) => {
      reply.header('Content-Security-Policy', policy);
    });
    for (const url of ['/help', '/help/*']) {
      help.get(url, { config, schema: { hide: true } }, async (request, reply) => {
        const path = (request.params as { '*'?: string })['*'] ?? '';
        try {
          const found = await find(path);
          return await send(request, reply, found ?? (await notFound(reply)));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
          return reply.code(404).type('text/html; charset=utf-8').send(notBuilt);
        }
      });
    }
  });

  /** The page of the site for paths that it does not have. */
  async function notFound(reply: FastifyReply): Promise<SiteFile | undefined> {
    reply.code(404);
    return await find('404');
  }
}

async function send(request: FastifyRequest, reply: FastifyReply, file: SiteFile | undefined) {
  if (!file) return reply.type('text/plain; charset=utf-8').send('There is no such page.\n');
  reply.type(file.type);
  const caching = file.isHashed ? forever : 'no-cache';
  const content = await file.content();
  if (reply.statusCode === 404) return reply.send(content.plain.body);
  return reply.send((await answerWith(request, reply, content, caching)) ?? undefined);
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Documentation of Berth</title>
<style>body{font:16px/1.5 system-ui;margin:2rem auto;max-width:40rem;padding:0 1rem}</style>
<h1>The documentation site is not built</h1>
<p>Run <code>npm run docs</code> in the directory of Berth, and load this page again. The same pages are in its folder
<code>docs/</code>. The API is described at <a href="/docs">/docs</a>.</p>
</html>
`;
