import { type Static, Type } from 'typebox';
import { Closed } from './values.ts';

const words = {
  audit_months: {
    minimum: 1,
    maximum: 120,
    description:
      'How long entries of the audit log are kept, in months. They are removed by whole calendar months (UTC), so an ' +
      'entry may be kept for up to a month more. The default is 13.',
    examples: [13],
    explain: 'Must be an integer number of months, from 1 to 120.',
  },
  operations_months: {
    minimum: 1,
    maximum: 120,
    description: 'How long an operation is kept after its end, in months. The default is 13.',
    examples: [13],
    explain: 'Must be an integer number of months, from 1 to 120.',
  },
  outputs_days: {
    minimum: 1,
    maximum: 3650,
    description:
      'How long the output of initial commands is kept after the end of their operation, in days, but no longer than ' +
      'the operation, and for a shorter time if the outputs of the project exceed its quota `outputs`. The default is 30.',
    examples: [30],
    explain: 'Must be an integer number of days, from 1 to 3650.',
  },
} as const;

const retentionWords = {
  description:
    'The retention periods of records. Older records are removed within two hours. Extending a period does not bring ' +
    'back records that were removed.',
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
  { title: 'Settings', description: 'The settings of the whole installation.' },
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
  {
    title: 'SettingsUpdate',
    description: 'The settings to change. Settings that are omitted are not changed.',
  },
);
export type SettingsUpdate = Static<typeof SettingsUpdate>;
