import { type Static, Type } from 'typebox';
import { Reference } from './references.ts';
import { Closed, Timestamp, Word } from './values.ts';

export const Image = Type.Object(
  {
    os_id: Type.Integer({ examples: [2] }),
    location_id: Type.Integer({ examples: [1] }),
    status: Word(['wanted', 'importing', 'ready', 'failed'], {
      description: '`ready`: servers there need not wait for it.',
      examples: ['importing'],
    }),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Percent.', examples: [40] }),
    message: Type.String({
      description: 'What happens, for a person to read; why, when it failed.',
      examples: ['downloading the image'],
    }),
    requested_at: Timestamp('When it was asked for last.'),
  },
  { title: 'Image', description: 'An operating system, as a location has it or is getting it.' },
);
export type Image = Static<typeof Image>;

export const ImageImport = Closed(
  { location_id: Reference('location', 'Where it is to be ready.') },
  { title: 'ImageImport' },
);
export type ImageImport = Static<typeof ImageImport>;
