import { Problem } from '../problems/problem.ts';

export function sessionEnded(): Problem {
  return new Problem('session_ended', 'The session has ended. Sign in again.');
}
