import { type Static, Type } from 'typebox';
import { Closed } from './values.ts';

const words = {
  audit_months: {
    minimum: 1,
    maximum: 120,
    description:
      'How many months entries of the audit log are kept. They go a calendar month (UTC) at a time, so an ' +
      'entry may be there for up to a month more.',
    examples: [13],
    explain: 'Must be a whole number of months, from 1 to 120.',
  },
  operations_months: {
    minimum: 1,
    maximum: 120,
    description: 'How many months an operation is kept after it has ended.',
    examples: [13],
    explain: 'Must be a whole number of months, from 1 to 120.',
  },
  outputs_days: {
    minimum: 1,
    maximum: 3650,
    description:
      'How many days what initial commands printed is kept after their operation has ended. It goes with ' +
      'the operation at the latest, and earlier where the outputs of its project exceed the quota `outputs`.',
    examples: [30],
    explain: 'Must be a whole number of days, from 1 to 3650.',
  },
} as const;

const retentionWords = {
  description:
    'How long records are kept. What is older is removed within two hours, and does not come back when a ' +
    'time is made longer.',
};

export const Settings = Type.Object(
  {
    retention: Type.Object(
      {
        audit_months: Type.Integer(words.audit_months),
        operations_months: Type.Integer(words.operations_months),
        outputs_days: Type.Integer(words.outputs_days),
      },
      retentionWords,
    ),
  },
  { title: 'Settings', description: 'What administrators set for the whole installation.' },
);
export type Settings = Static<typeof Settings>;

export const SettingsUpdate = Closed(
  {
    retention: Type.Optional(
      Closed(
        {
          audit_months: Type.Optional(Type.Integer(words.audit_months)),
          operations_months: Type.Optional(Type.Integer(words.operations_months)),
          outputs_days: Type.Optional(Type.Integer(words.outputs_days)),
        },
        retentionWords,
      ),
    ),
  },
  { title: 'SettingsUpdate', description: 'What is left out stays as it is.' },
);
export type SettingsUpdate = Static<typeof SettingsUpdate>;
