import { items } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { columnsOf } from '../output/columns.ts';
import { printDone, printList } from '../output/print.ts';
import { colouredStatus } from '../output/style.ts';
import { moment, percent } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { collect } from '../verbs/collect.ts';
import { noun } from '../verbs/noun.ts';
import { pauseFor } from '../verbs/pause.ts';

type Image = Schemas['Image'];

const columns = columnsOf<Image>(
  {
    os_id: (image) => image.os_id,
    location_id: (image) => image.location_id,
    status: {
      of: (image) => image.status,
      text: ({ status }, style) => colouredStatus(status, style),
    },
    progress: { of: (image) => image.progress, text: ({ progress }) => percent(progress) },
    message: (image) => image.message,
    requested_at: {
      of: (image) => image.requested_at,
      text: ({ requested_at }) => moment(requested_at),
    },
  },
  ['os_id', 'location_id', 'status', 'progress', 'message'],
  ({ os_id, location_id }) => `${os_id}@${location_id}`,
);

const path = '/v1/operating-systems/{id}/images';

const list = (cli: Cli) =>
  new Command('list')
    .alias('ls')
    .summary('List the images of an operating system')
    .description('List the images of an operating system.')
    .argument('<os>', 'its slug or ID')
    .option('--columns <names>', `the columns: ${Object.keys(columns.all).join(', ')}`)
    .option('--no-header', 'print no names of columns')
    .action(async (id, shape) => {
      const images = items(cli.berth(), path, { params: { path: { id } } });
      await printList(cli, columns, await collect(images), shape);
    });

const importImage = (cli: Cli) =>
  new Command('import')
    .summary('Import an image to a location in advance')
    .description(
      'Import an image to a location in advance, so that the first server does not have to wait for it. Only administrators can import images.',
    )
    .argument('<os>', 'its slug or ID')
    .argument('<location>', 'its name or ID')
    .option('--wait', 'wait until it is imported (the default)', true)
    .option('--no-wait', 'return as soon as the request was accepted')
    .action(async (id, location, { wait }) => {
      const body = { location_id: location };
      const { data } = await cli.berth().POST(path, { params: { path: { id } }, body });
      const image = wait ? await imported(cli, id, data) : data;
      await printDone(cli, columns, image, `${id} at ${location}: ${image.message}`);
    });

async function imported(cli: Cli, id: string, first: Image): Promise<Image> {
  const line = cli.progress.start(first.message);
  const params = { path: { id }, query: { location_id: [first.location_id] } };
  try {
    for (let image: Image | undefined = first; ; ) {
      if (image?.status === 'ready') return image;
      if (image?.status === 'failed') throw new Failure(image.message);
      if (image) line.say(`${id}  ${percent(image.progress)}  ${image.message}`);
      await pauseFor(1, cli.io.signal);
      [image] = (await cli.berth().GET(path, { params })).data;
    }
  } finally {
    line.end();
  }
}

export const image = noun('image', 'Import the images of operating systems to locations.', [
  ...[list, importImage],
]);
