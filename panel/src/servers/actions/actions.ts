import type { components } from '@berth/client';
import { counted } from '../../format/units.ts';
import type { Server } from '../../live/apply.ts';

/** The actions that the panel offers, where a server allows them. */
export const powerActions = ['start', 'stop', 'restart'] as const;
export type PowerAction = (typeof powerActions)[number];

interface Words {
  name: string;
  /** What it does, as the question before it. Actions without one begin at once. */
  question?: string;
  done: string;
}

export const words: Record<PowerAction | 'delete', Words> = {
  start: { name: 'Start', done: 'has started' },
  stop: { name: 'Stop', question: 'The guest is shut down.', done: 'has stopped' },
  restart: {
    name: 'Restart',
    question: 'The guest is shut down, and started again.',
    done: 'has restarted',
  },
  delete: { name: 'Delete', done: 'was deleted' },
};

/** What the service says can be done with a server now. */
export const allowedFor = ({ allowed_actions }: Pick<Server, 'allowed_actions'>): PowerAction[] =>
  powerActions.filter((action) => allowed_actions.includes(action));

/** The most servers of one request. */
export const mostAtOnce = 100;

export function inChunks<T>(all: readonly T[], size: number): T[][] {
  const starts = Array.from({ length: Math.ceil(all.length / size) }, (_, at) => at * size);
  return starts.map((start) => all.slice(start, start + size));
}

type BulkAnswer = components['schemas']['BulkAnswer'];

/** What has become of an action on several servers: a sentence, and each different refusal. */
export function outcomeOf(action: PowerAction, answers: readonly BulkAnswer[]) {
  const total = (count: 'accepted' | 'refused') =>
    answers.reduce((sum, answer) => sum + answer[count], 0);
  const [accepted, refused] = [total('accepted'), total('refused')];
  const problems = answers
    .flatMap(({ results }) => results)
    .flatMap(({ problem }) => (problem ? [problem.detail] : []));
  const sentence = `${words[action].name} was accepted for ${counted(accepted, 'server')}`;
  const rest = refused > 0 ? `, and refused for ${counted(refused, 'server')}.` : '.';
  return { sentence: `${sentence}${rest}`, refusals: [...new Set(problems)] };
}
