import type { components } from '@berth/client';

export type Role = components['schemas']['Member']['role'];

/** What members may do, from the least to the most. */
export const roles: Record<Role, string> = {
  viewer: 'Viewer: may look',
  member: 'Member: may also change servers',
  owner: 'Owner: may also manage members',
};

export const isRole = (word: unknown): word is Role =>
  typeof word === 'string' && Object.hasOwn(roles, word);
