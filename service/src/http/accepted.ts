import type { Accepted } from '@berth/contract/operations';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from './app-types.ts';
import { type IdempotentAnswer, sendAnswer } from './idempotency.ts';
import { preferredWait, waitApplied } from './prefer.ts';

/** Answers for an operation that was accepted; with `Prefer: wait=N` once it has ended, in its words. */
export async function sendAccepted(
  { untilEnded }: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: IdempotentAnswer<Accepted>,
) {
  const wait = preferredWait(request);
  if (wait === 0) return sendAnswer(reply, answer);
  const ended = await untilEnded(answer.body.operation_id, wait);
  waitApplied(reply, wait);
  return sendAnswer(
    reply,
    ended ? { ...answer, body: { ...answer.body, message: ended } } : answer,
  );
}
