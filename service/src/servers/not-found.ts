import { Problem } from '../problems/problem.ts';

export function serverNotFound(id: number | string): Problem {
  return new Problem('server_not_found', `No server has the id ${id}.`);
}
