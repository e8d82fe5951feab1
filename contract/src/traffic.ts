import { type Static, Type } from 'typebox';
import { Allowance, trafficPolicyWords } from './locations.ts';
import { whetherStale } from './usage.ts';
import { Closed, Nullable, Timestamp } from './values.ts';

function direction(description: string) {
  return Type.Object(
    {
      value: Type.Integer({ description: 'Bytes in this month.', examples: [734003200] }),
      prev: Type.Integer({ description: 'Bytes in the month before.', examples: [0] }),
    },
    { description },
  );
}

export const ServerTraffic = Type.Object(
  {
    month: Type.String({ description: 'This month, in UTC.', examples: ['2026-11'] }),
    incoming: direction('To the server.'),
    outgoing: direction('From the server.'),
    allowance: Nullable(
      Type.Integer({ description: 'Bytes a month; null for no limit.', examples: [10 ** 12] }),
    ),
    counted: trafficPolicyWords.counted,
    used: Type.Integer({ description: 'Bytes that count.', examples: [734003200] }),
    read_at: Nullable(Timestamp('When it was last counted; null before the first time.')),
    is_stale: Type.Boolean({ description: `Of the traffic: ${whetherStale}` }),
    is_exceeded: Type.Boolean({ description: 'Whether the allowance is used up.' }),
    policy: trafficPolicyWords.policy,
    throttled_to: Nullable(
      Type.Integer({
        description:
          'Mbit/s that the engine confirmed to hold it to in each direction; null while there is no throttle, ' +
          'or not all of it is applied.',
        examples: [10],
      }),
    ),
    throttle_error: Nullable(
      Type.String({
        description: 'Why the throttle that its allowance calls for is not applied, or not lifted.',
        examples: ['The kernel of its node cannot limit what a server sends.'],
      }),
    ),
    notices: Type.Array(
      Type.Object({
        percent: Type.Integer({ description: '80 or 100.', examples: [80] }),
        allowance: Nullable(
          Type.Integer({ description: 'Bytes a month, of which it was.', examples: [10 ** 12] }),
        ),
        at: Timestamp('When so much of the allowance was seen to be used.'),
      }),
      { description: 'Of this month: one each for each allowance that it had.' },
    ),
  },
  { title: 'ServerTraffic', description: "A server's traffic of this month, and its allowance." },
);
export type ServerTraffic = Static<typeof ServerTraffic>;

export const ServerTrafficUpdate = Closed(
  { allowance: Allowance('Bytes a month; null for no limit. It holds for this month, too.') },
  { title: 'ServerTrafficUpdate' },
);
export type ServerTrafficUpdate = Static<typeof ServerTrafficUpdate>;
