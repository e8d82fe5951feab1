import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import type { Answer } from './answers.ts';
import type { OperationFault, PushFault } from './faults.ts';
import { refuse } from './refusal.ts';

/** A request as its handler sees it. */
export interface Call {
  /** The parameters of the path, which a route names with a colon. */
  parts: Record<string, string>;
  query: URLSearchParams;
  /** The project of the request. */
  project: string;
  headers: IncomingHttpHeaders;
  body: IncomingMessage;
  /** The fault of the operation that it starts. */
  fault?: OperationFault | undefined;
  pushFault?: PushFault | undefined;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** Handlers by method and path: `GET /1.0/instances/:name`. */
export type Routes = Record<string, Handler>;

interface Route {
  parts: string[];
  handler: Handler;
}

/** The handler for a request, with what the path names; a function of the table alone. */
export function createRouter(tables: Routes[]) {
  const routes = new Map<string, Route[]>();
  for (const [pattern, handler] of tables.flatMap((table) => Object.entries(table))) {
    const [method = '', path = ''] = pattern.split(' ');
    const parts = path.split('/');
    const key = `${method} ${parts.length}`;
    routes.set(key, [...(routes.get(key) ?? []), { parts, handler }]);
  }
  return (method: string, path: string) => {
    const asked = path.split('/').map(decoded);
    for (const route of routes.get(`${method} ${asked.length}`) ?? []) {
      const parts = match(route.parts, asked);
      if (parts) return { parts, handler: route.handler };
    }
    return undefined;
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return refuse(`invalid URL escape "${text}"`, 400);
    throw error;
  }
}

/** In the tables, literal parts precede parameters. */
function match(pattern: string[], asked: string[]): Record<string, string> | undefined {
  const named: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const value = asked[index] ?? '';
    if (part.startsWith(':')) named[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return named;
}

/** The body as JSON. If it is invalid, throws with the message of the decoder of Go. */
export async function jsonBody<T>(call: Call): Promise<T> {
  try {
    return (await readJson(call.body)) as T;
  } catch (error) {
    if (error instanceof SyntaxError)
      refuse('invalid character looking for beginning of value', 400);
    throw error;
  }
}

export const part = (call: Call, name: string): string => call.parts[name] ?? '';
