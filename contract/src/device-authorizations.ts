import { type Static, Type } from 'typebox';
import { linePattern } from './text.ts';
import { TokenCreate } from './tokens.ts';
import { Closed, Id, Timestamp } from './values.ts';

const clientName = {
  description:
    'What the person who approves is told about the program, such as the name of its machine. The token is called `berth on` and this name.',
  examples: ['laptop'],
};
const userCode = {
  description:
    'The code that the person compares or enters. Upper and lower case, blanks and hyphens make no difference.',
  examples: ['WDJB-MJHT'],
};
const expiry = Timestamp('The time at which the codes expire: ten minutes after they were issued.');

export const DeviceAuthorizationCreate = Closed(
  {
    client_name: Type.String({
      ...clientName,
      minLength: 1,
      maxLength: 90,
      pattern: `^(?!\\s*$)${linePattern.slice(1)}`,
      explain:
        'Must be a string of 1 to 90 characters that are not all blank, without control characters.',
    }),
  },
  {
    title: 'DeviceAuthorizationCreate',
    description: 'The program that asks for a token.',
  },
);
export type DeviceAuthorizationCreate = Static<typeof DeviceAuthorizationCreate>;

export const DeviceAuthorization = Type.Object(
  {
    device_code: Type.String({
      description:
        'The secret of the program, with which it gets the token. Nobody else may know it.',
      examples: ['GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS3w'],
    }),
    user_code: Type.String(userCode),
    verification_url: Type.String({
      description: 'The page at which a person enters `user_code` and approves.',
      examples: ['https://berth.example/authorize'],
    }),
    verification_url_complete: Type.String({
      description: 'The same page with the code, to be opened in a browser.',
      examples: ['https://berth.example/authorize?code=WDJB-MJHT'],
    }),
    expires_at: expiry,
    interval: Type.Integer({
      description:
        'The seconds between two requests of `POST /v1/device-authorizations/token`, at least.',
      examples: [2],
    }),
  },
  {
    title: 'DeviceAuthorization',
    description: 'The codes with which a program gets a token from a person (RFC 8628).',
  },
);
export type DeviceAuthorization = Static<typeof DeviceAuthorization>;

export const DeviceTokenRequest = Closed(
  {
    device_code: Type.String({
      maxLength: 100,
      description: 'The `device_code` of `POST /v1/device-authorizations`.',
      examples: ['GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS3w'],
      explain: 'Must be the device_code of POST /v1/device-authorizations.',
    }),
  },
  { title: 'DeviceTokenRequest', description: 'The secret of the program that asks for a token.' },
);
export type DeviceTokenRequest = Static<typeof DeviceTokenRequest>;

export const DeviceToken = Type.Object(
  {
    token_id: Id('the token', 3),
    token: Type.String({
      description: 'The secret of the token. This response is the only one that contains it.',
      examples: ['berth_…'],
    }),
  },
  { title: 'DeviceToken', description: 'The token that a person has approved.' },
);
export type DeviceToken = Static<typeof DeviceToken>;

export const UserCodeParams = Type.Object({ user_code: Type.String(userCode) });

export const PendingAuthorization = Type.Object(
  {
    client_name: Type.String(clientName),
    address: Type.String({
      description: 'The IP address from which the program has asked.',
      examples: ['203.0.113.7'],
    }),
    created_at: Timestamp('The time at which the program has asked.'),
    expires_at: expiry,
  },
  {
    title: 'PendingAuthorization',
    description: 'A program that waits for a token, which nobody has approved or denied yet.',
  },
);
export type PendingAuthorization = Static<typeof PendingAuthorization>;

const { scopes, expires_at, allowed_networks } = TokenCreate.properties;

export const DeviceApproval = Closed(
  { scopes, expires_at, allowed_networks },
  { title: 'DeviceApproval', description: 'What the token of the program allows.' },
);
export type DeviceApproval = Static<typeof DeviceApproval>;
