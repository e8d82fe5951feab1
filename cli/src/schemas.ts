import type { components } from '@berth/client';

/** The objects of the API. */
export type Schemas = components['schemas'];
