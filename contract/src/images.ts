import { type Static, Type } from 'typebox';
import { AnyOf } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { Closed, Id, Timestamp, Word } from './values.ts';

export const Image = Type.Object(
  {
    os_id: Id('the operating system', 2),
    location_id: Id('the location', 1),
    status: Word(['wanted', 'importing', 'ready', 'failed'], {
      description:
        'The state of the image. `wanted`: the import was requested and has not begun. `importing`: the image is ' +
        'being downloaded or built. `ready`: new servers at the location start from it without waiting. `failed`: ' +
        'the import failed, and `message` says why.',
      examples: ['importing'],
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'How much of the import is done, in percent.',
      examples: [40],
    }),
    message: Type.String({
      description: 'What the import is doing, as human-readable text. If it failed, the reason.',
      examples: ['downloading the image'],
    }),
    requested_at: Timestamp('The time at which the image was last requested.'),
  },
  { title: 'Image', description: 'The image of an operating system at a location.' },
);
export type Image = Static<typeof Image>;

export const ImageQuery = Closed({
  ...pageParameters,
  location_id: AnyOf(Reference('location', 'Return only the image at this location.')),
});

export const ImageImport = Closed(
  { location_id: Reference('location', 'The location that is to have the image.') },
  { title: 'ImageImport', description: 'The location to import the image to.' },
);
export type ImageImport = Static<typeof ImageImport>;
