import { type Static, Type } from 'typebox';
import { AnyOf } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { Closed } from './values.ts';

export const AddressPool = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    location_id: Type.Integer({ examples: [1] }),
    cidr: Type.String({ description: 'The subnet.', examples: ['203.0.113.0/24'] }),
    gateway: Type.String({ examples: ['203.0.113.1'] }),
    nameservers: Type.Array(Type.String({ examples: ['203.0.113.1'] })),
    first: Type.String({ description: 'The first that is given.', examples: ['203.0.113.2'] }),
    last: Type.String({ description: 'The last that is given.', examples: ['203.0.113.254'] }),
    enabled: Type.Boolean({
      description: 'Whether new servers get addresses of it. False: it drains.',
    }),
    held: Type.Integer({ description: 'Addresses that servers hold.', examples: [12] }),
    reserved: Type.Array(
      Type.Object({
        ip: Type.String({ examples: ['203.0.113.9'] }),
        instance: Type.String({
          description: 'The instance of Incus that holds it.',
          examples: ['srv-6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'],
        }),
      }),
      {
        description:
          'Addresses that no server is given, since instances hold them that are of no server, as after a ' +
          'restore of the database.',
        examples: [[]],
      },
    ),
  },
  { title: 'AddressPool', description: 'Where the addresses of servers come from.' },
);
export type AddressPool = Static<typeof AddressPool>;

function address(description: string, example: string) {
  return Type.String({
    maxLength: 45,
    pattern: '^[0-9a-fA-F.:]+$',
    description,
    examples: [example],
    explain: `Must be an IP address, such as ${example}.`,
  });
}

const enabled = Type.Boolean({
  description: 'Whether new servers get addresses of it. Those that are held stay held.',
  explain: 'Must be true or false.',
});

export const AddressPoolCreate = Closed(
  {
    location_id: Reference('location', 'Whose servers get them.'),
    cidr: Type.String({
      maxLength: 49,
      pattern: '^[0-9a-fA-F.:]+/[0-9]{1,3}$',
      description: 'The subnet, which the network of the location must carry.',
      examples: ['203.0.113.0/24'],
      explain: 'Must be a subnet, such as 203.0.113.0/24.',
    }),
    gateway: address('Of the subnet; never given to a server.', '203.0.113.1'),
    nameservers: Type.Optional(
      Type.Array(address('One.', '203.0.113.1'), {
        maxItems: 3,
        description: 'What servers ask for names. Without it, the gateway.',
        explain: 'Must be a list of at most 3 IP addresses.',
      }),
    ),
    first: Type.Optional(
      address('The first to give. Without it, the first of the subnet.', '203.0.113.2'),
    ),
    last: Type.Optional(
      address('The last to give. Without it, the last of the subnet.', '203.0.113.254'),
    ),
    enabled: Type.Optional(enabled),
  },
  { title: 'AddressPoolCreate' },
);
export type AddressPoolCreate = Static<typeof AddressPoolCreate>;

export const AddressPoolUpdate = Closed(
  { enabled: Type.Optional(enabled) },
  { title: 'AddressPoolUpdate', description: 'What is left out stays as it is.' },
);
export type AddressPoolUpdate = Static<typeof AddressPoolUpdate>;

export const AddressPoolQuery = Closed({
  ...pageParameters,
  location_id: AnyOf(Reference('location', 'Only those of this location.')),
});
