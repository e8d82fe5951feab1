import type { components } from '@berth/client';

type Kind = components['schemas']['Drift']['kind'];

export const kindNames: Record<Kind, string> = {
  changed: 'Changed by hand',
  missing_instance: 'Instance is gone',
  unknown_instance: 'Unknown instance',
  foreign_instance: 'In another Incus project',
};

/** Which drift is listed, as it is in the URL. */
export interface DriftSearch {
  kind?: Kind;
  /** Whether what was forgotten is listed, and nothing else. */
  forgotten?: true;
}

const isKind = (word: unknown): word is Kind =>
  typeof word === 'string' && Object.hasOwn(kindNames, word);

/** What the URL says, without what is not understood. */
export const readDriftSearch = ({ kind, forgotten }: Record<string, unknown>): DriftSearch => ({
  ...(isKind(kind) && { kind }),
  ...(forgotten === true && { forgotten }),
});

export const hasFilters = (search: DriftSearch): boolean => Object.keys(search).length > 0;

/** The parameters of `GET /v1/drift`. */
export const queryOf = ({ kind, forgotten }: DriftSearch) => ({
  ...(kind && { kind: [kind] }),
  ...(forgotten && { forgotten }),
});
