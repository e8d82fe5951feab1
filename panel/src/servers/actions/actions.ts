import type { components } from '@berth/client';
import { counted } from '../../format/units.ts';
import type { Server } from '../../live/apply.ts';

/** The actions that need nothing but a click, where a server allows them. */
export const powerActions = ['start', 'stop', 'restart', 'pause', 'unpause', 'retry'] as const;
export type PowerAction = (typeof powerActions)[number];

/** Everything that can be begun in the panel, and whose end is told. */
export type Action =
  | PowerAction
  | ('create' | 'resize' | 'rebuild' | 'rename' | 'password' | 'suspend' | 'unsuspend' | 'delete');

interface Words {
  name: string;
  /** What it does, as the question before it. Actions without one begin at once. */
  question?: string;
  done: string;
}

export const words: Record<Action, Words> = {
  create: { name: 'Create', done: 'is ready' },
  start: { name: 'Start', done: 'has started' },
  stop: { name: 'Stop', question: 'The guest is shut down.', done: 'has stopped' },
  restart: {
    name: 'Restart',
    question: 'The guest is shut down, and started again.',
    done: 'has restarted',
  },
  pause: {
    name: 'Pause',
    question: 'What runs in it stops where it is, and continues when it is unpaused.',
    done: 'is paused',
  },
  unpause: { name: 'Unpause', done: 'continues' },
  retry: { name: 'Retry', done: 'is ready' },
  resize: { name: 'Resize', done: 'has its new size' },
  rebuild: { name: 'Rebuild', done: 'was rebuilt' },
  rename: { name: 'Rename', done: 'has its new name' },
  password: { name: 'Change of the root password', done: 'has its new root password' },
  suspend: { name: 'Suspension', done: 'is suspended' },
  unsuspend: { name: 'End of the suspension', done: 'is no longer suspended' },
  delete: { name: 'Delete', done: 'was deleted' },
};

/** What the service says can be done with a server now. */
export const allowedFor = ({ allowed_actions }: Pick<Server, 'allowed_actions'>): PowerAction[] =>
  powerActions.filter((action) => allowed_actions.includes(action));

/** A paused guest cannot shut down. */
export const mustForce = (action: PowerAction, { status }: Pick<Server, 'status'>): boolean =>
  action === 'stop' && status === 'paused';

/** What is asked before an action on servers, if anything is. */
export function questionOf(action: PowerAction, servers: readonly Pick<Server, 'status'>[]) {
  const [server] = servers;
  const isForced = servers.length === 1 && server && mustForce(action, server);
  return isForced ? 'It is paused, so its power is cut.' : words[action].question;
}

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
