import { type Static, Type } from 'typebox';
import { AnyOf } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { Closed, Id } from './values.ts';

export const AddressPool = Type.Object(
  {
    id: Id('the address pool', 1),
    location_id: Id('the location whose servers get addresses from the pool', 1),
    cidr: Type.String({
      description: 'The subnet of the pool, in CIDR notation.',
      examples: ['203.0.113.0/24'],
    }),
    gateway: Type.String({
      description:
        'The address of the default gateway of servers. It is never assigned to a server.',
      examples: ['203.0.113.1'],
    }),
    nameservers: Type.Array(
      Type.String({ description: 'The address of a DNS server.', examples: ['203.0.113.1'] }),
      { description: 'The DNS servers that servers use, in order of preference.' },
    ),
    first: Type.String({
      description: 'The first address of the pool that can be assigned to a server.',
      examples: ['203.0.113.2'],
    }),
    last: Type.String({
      description: 'The last address of the pool that can be assigned to a server.',
      examples: ['203.0.113.254'],
    }),
    enabled: Type.Boolean({
      description:
        'Whether new servers get addresses from the pool. If `false`, the pool drains: servers keep the ' +
        'addresses that they have, and no others are assigned.',
    }),
    held: Type.Integer({
      description: 'The number of addresses of the pool that are assigned to servers.',
      examples: [12],
    }),
    reserved: Type.Array(
      Type.Object(
        {
          ip: Type.String({ description: 'The reserved address.', examples: ['203.0.113.9'] }),
          instance: Type.String({
            description: 'The name of the Incus instance that uses the address.',
            examples: ['srv-6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'],
          }),
        },
        { description: 'A reserved address.' },
      ),
      {
        description:
          'Addresses that are not assigned to new servers, because Incus instances that belong to no server use ' +
          'them. Such instances can be there after the database was restored from a backup.',
        examples: [[]],
      },
    ),
  },
  {
    title: 'AddressPool',
    description:
      'A range of IPv4 or IPv6 addresses that are assigned to the servers of a location.',
  },
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
  description:
    'Whether new servers get addresses from the pool. Servers keep the addresses that they have. The default for a ' +
    'new pool is `true`.',
  explain: 'Must be true or false.',
});

export const AddressPoolCreate = Closed(
  {
    location_id: Reference('location', 'The location whose servers get addresses from the pool.'),
    cidr: Type.String({
      maxLength: 49,
      pattern: '^[0-9a-fA-F.:]+/[0-9]{1,3}$',
      description:
        'The subnet of the pool, in CIDR notation. The network of the location must carry it, and no other pool ' +
        'may overlap it.',
      examples: ['203.0.113.0/24'],
      explain: 'Must be a subnet in CIDR notation, such as 203.0.113.0/24.',
    }),
    gateway: address(
      'The address of the default gateway, within the subnet. It is never assigned to a server.',
      '203.0.113.1',
    ),
    nameservers: Type.Optional(
      Type.Array(address('The address of a DNS server.', '203.0.113.1'), {
        maxItems: 3,
        description:
          'Up to 3 DNS servers that servers use, in order of preference. The default is the gateway.',
        explain: 'Must be an array of at most 3 IP addresses.',
      }),
    ),
    first: Type.Optional(
      address(
        'The first address that can be assigned to a server. The default is the first one of the subnet.',
        '203.0.113.2',
      ),
    ),
    last: Type.Optional(
      address(
        'The last address that can be assigned to a server. The default is the last one of the subnet.',
        '203.0.113.254',
      ),
    ),
    enabled: Type.Optional(enabled),
  },
  { title: 'AddressPoolCreate', description: 'The address pool to add to a location.' },
);
export type AddressPoolCreate = Static<typeof AddressPoolCreate>;

export const AddressPoolUpdate = Closed(
  { enabled: Type.Optional(enabled) },
  {
    title: 'AddressPoolUpdate',
    description: 'The fields to change. Fields that are omitted are not changed.',
  },
);
export type AddressPoolUpdate = Static<typeof AddressPoolUpdate>;

export const AddressPoolQuery = Closed({
  ...pageParameters,
  location_id: AnyOf(Reference('location', 'Return only address pools of this location.')),
});
