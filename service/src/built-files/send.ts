import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerWith } from '../openapi/constant-content.ts';
import type { BuiltFile } from './files.ts';

export const html = 'text/html; charset=utf-8';

const forever = 'public, max-age=31536000, immutable';

/** Sends a file of a built site, or says that there is none. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: BuiltFile | undefined,
) {
  if (!file) return reply.type('text/plain; charset=utf-8').send('There is no such page.\n');
  reply.type(file.type);
  const caching = file.isHashed ? forever : 'no-cache';
  const content = await file.content();
  if (reply.statusCode === 404) return reply.send(content.plain.body);
  return reply.send((await answerWith(request, reply, content, caching)) ?? undefined);
}

/** Whether the function of `filesOf` threw this because the site has not been built. */
export const isNotBuilt = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The page in the place of a site that is not built; `more` is HTML. */
export const notBuiltPage = (what: string, command: string, more: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Berth</title>
<style>body{font:16px/1.5 system-ui;margin:2rem auto;max-width:40rem;padding:0 1rem}</style>
<h1>${what} is not built</h1>
<p>Run <code>${command}</code> in the directory of Berth, and load this page again. ${more}</p>
</html>
`;
