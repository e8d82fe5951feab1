import type { FastifyRequest } from 'fastify';
import { type WantedProject, wantedProject } from '../callers/wanted-project.ts';
import { addressOf } from '../lib/client-address.ts';

/** What a credential is asked about: the project that is wanted, and the address that it is used from. */
export interface Asker {
  wanted: WantedProject | undefined;
  address: string;
}

export const askerOf = (request: FastifyRequest): Asker => ({
  wanted: wantedProject(request),
  address: addressOf(request),
});
