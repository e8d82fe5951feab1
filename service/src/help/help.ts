import type { FastifyReply } from 'fastify';
import { type BuiltFile, filesOf } from '../built-files/files.ts';
import { isNotBuilt, notBuiltPage, sendFile } from '../built-files/send.ts';
import type { App } from '../callers/app-types.ts';

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
          return await sendFile(request, reply, found ?? (await notFound(reply)));
        } catch (error) {
          if (!isNotBuilt(error)) throw error;
          return reply.code(404).type('text/html; charset=utf-8').send(notBuilt);
        }
      });
    }
  });

  /** The page of the site for paths that it does not have. */
  async function notFound(reply: FastifyReply): Promise<BuiltFile | undefined> {
    reply.code(404);
    return await find('404');
  }
}

const notBuilt = notBuiltPage(
  'The documentation site',
  'npm run docs',
  `The same pages are in its folder <code>docs/</code>. The API is described at <a href="/docs">/docs</a>.`,
);
