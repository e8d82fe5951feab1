import { type Static, Type } from 'typebox';
import { email, name, newPassword } from './users.ts';
import { Closed } from './values.ts';

export const Setup = Type.Object(
  {
    open: Type.Boolean({
      description:
        'Whether the first administrator can be made now with the code that `npm start` prints.',
    }),
  },
  { title: 'Setup', description: 'Whether the setup in the browser is open.' },
);

export const SetupComplete = Closed(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'The setup code that the last `npm start` printed, or the content of the file that it named. Upper and lower case, ' +
        'blanks and hyphens make no difference.',
      examples: ['7Q2M-K4ZD-9XRT-3HBN-5WCE'],
      explain: 'Must be the code that npm start prints, such as 7Q2M-K4ZD-9XRT-3HBN-5WCE.',
    }),
    name,
    email,
    password: newPassword,
  },
  { title: 'SetupComplete', description: 'The setup code, and the first administrator.' },
);
export type SetupComplete = Static<typeof SetupComplete>;
