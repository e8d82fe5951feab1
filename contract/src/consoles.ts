import { type Static, Type } from 'typebox';
import { Timestamp } from './values.ts';

/** The subprotocol of the WebSocket of a console: docs/console.md describes it. */
export const consoleProtocol = 'berth.console.v1';

export const Console = Type.Object(
  {
    url: Type.String({
      description:
        'Where to open the console, with a WebSocket of the subprotocol `berth.console.v1`. The URL contains a ticket, so it ' +
        'is a secret: it can be used once, within 30 seconds.',
      examples: ['wss://berth.example.com/v1/consoles/7oTqQhZkY1m0n3uJwXv5b8cD2eFgHiKlMnOpQrStUvW'],
    }),
    expires_at: Timestamp('When the ticket in the URL expires.'),
  },
  { title: 'Console', description: 'Where to open the console of a server.' },
);
export type Console = Static<typeof Console>;
