import { type Static, Type } from 'typebox';
import { Allowance, trafficPolicyWords } from './locations.ts';
import { whetherStale } from './usage.ts';
import { Closed, Nullable, Timestamp } from './values.ts';

function direction(description: string) {
  return Type.Object(
    {
      value: Type.Integer({
        description: 'The traffic of the current calendar month (UTC), in bytes.',
        examples: [734003200],
      }),
      prev: Type.Integer({
        description: 'The traffic of the previous calendar month (UTC), in bytes.',
        examples: [0],
      }),
    },
    { description },
  );
}

export const ServerTraffic = Type.Object(
  {
    month: Type.String({
      description: 'The current calendar month, in UTC.',
      examples: ['2026-11'],
    }),
    incoming: direction('The traffic that the server received.'),
    outgoing: direction('The traffic that the server sent.'),
    allowance: Nullable(
      Type.Integer({
        description:
          'The traffic allowance, in bytes per calendar month (UTC). Null if there is no limit.',
        examples: [10 ** 12],
      }),
    ),
    counted: trafficPolicyWords.counted,
    used: Type.Integer({
      description: 'The traffic of this month that counts towards the allowance, in bytes.',
      examples: [734003200],
    }),
    read_at: Nullable(
      Timestamp('The time at which the traffic was last read. Null until the first time.'),
    ),
    is_stale: Type.Boolean({ description: whetherStale('the traffic') }),
    is_exceeded: Type.Boolean({ description: 'Whether the allowance is used up.' }),
    policy: trafficPolicyWords.policy,
    throttled_to: Nullable(
      Type.Integer({
        description:
          'The bandwidth in each direction to which the server is limited, in Mbit/s. Null while it is not throttled, or ' +
          'while the engine has not applied the throttle in both directions.',
        examples: [10],
      }),
    ),
    throttle_error: Nullable(
      Type.String({
        description:
          'Why a throttle that is due could not be applied, or one that is over could not be removed. Null otherwise.',
        examples: ['The kernel of its node cannot limit what a server sends.'],
      }),
    ),
    notices: Type.Array(
      Type.Object(
        {
          percent: Type.Integer({
            description: 'The threshold, in percent of the allowance: 80 or 100.',
            examples: [80],
          }),
          allowance: Nullable(
            Type.Integer({
              description:
                'The allowance at that time, in bytes per calendar month (UTC). Null if it is not known.',
              examples: [10 ** 12],
            }),
          ),
          at: Timestamp('The time at which the usage was found to have reached the threshold.'),
        },
        { description: 'A threshold of the allowance that was reached.' },
      ),
      {
        description:
          'The thresholds of the allowance that were reached this month. If the allowance was changed, each one has ' +
          'its own.',
      },
    ),
  },
  {
    title: 'ServerTraffic',
    description: 'The traffic of a server in this month, and its traffic allowance.',
  },
);
export type ServerTraffic = Static<typeof ServerTraffic>;

export const ServerTrafficUpdate = Closed(
  {
    allowance: Allowance(
      'The traffic allowance, in bytes per calendar month (UTC). Null removes the limit. It applies to the current ' +
        'month, too.',
    ),
  },
  { title: 'ServerTrafficUpdate', description: 'The new traffic allowance of the server.' },
);
export type ServerTrafficUpdate = Static<typeof ServerTrafficUpdate>;
