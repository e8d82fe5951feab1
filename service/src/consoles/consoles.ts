import type { Project } from '../db/project.ts';
import { Problem } from '../problems/problem.ts';
import { requireNotSuspended } from '../servers/actions/enter.ts';
import { notRunning } from '../servers/actions/rules/not-in-state.ts';
import { serverNotFound } from '../servers/not-found.ts';
import { lockServer } from '../servers/queries.ts';
import { countConsoles, insertConsole, type NewConsole } from './queries.ts';

const mostOfServer = 4;

/**
 * Enters a console that can be opened with a ticket, and returns when that expires. Throws if the server is not running
 * or is suspended, and `too_many_consoles` (409). The lock of the server makes others wait with their count.
 */
export async function enterConsole(project: Project, console: NewConsole): Promise<string> {
  const { serverId } = console;
  const server = await lockServer(project, serverId);
  if (!server) throw serverNotFound(serverId);
  requireNotSuspended(server);
  if (server.status !== 'started') throw notRunning(server, 'show its console');
  if ((await countConsoles(project, serverId)) >= mostOfServer) throw tooMany();
  return await insertConsole(project, console);
}

function tooMany(): Problem {
  const detail =
    `A server has ${mostOfServer} consoles at most, and this one has as many, with those that are about to be opened. ` +
    'Close one first.';
  return new Problem('too_many_consoles', detail);
}
