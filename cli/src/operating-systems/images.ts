import { items } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { columnsOf, referring } from '../output/columns.ts';
import { printDone, printList } from '../output/print.ts';
import { colouredStatus } from '../output/style.ts';
import { moment, percent } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { collect } from '../verbs/collect.ts';
import { noun } from '../verbs/noun.ts';
import { duration } from '../verbs/options.ts';
import { pauseFor } from '../verbs/pause.ts';
import { osNamed } from './named.ts';

type Image = Schemas['Image'];

const columns = columnsOf<Image>(
  {
    os_id: referring('os', (image) => image.os_id),
    location_id: referring('location', (image) => image.location_id),
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
    .summary('List the images of an operating system')
    .description('List the images of an operating system.')
    .argument('<os>', 'its slug or ID')
    .option('--columns <names>', `the columns: ${Object.keys(columns.all).join(', ')}`)
    .option('--no-header', 'print no names of columns')
    .action(async (asked, shape) => {
      const id = await osNamed(cli, asked);
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
    .option('--wait', 'wait until it is imported', true)
    .option('--no-wait', 'return as soon as the request was accepted')
    .option('--timeout <duration>', 'wait at most this long, such as 30s or 5m', duration)
    .action(async (asked, location, { wait, timeout }) => {
      const id = await osNamed(cli, asked);
      const body = { location_id: location };
      const { data } = await cli.berth().POST(path, { params: { path: { id } }, body });
      const image = wait ? await imported(cli, id, data, timeout) : data;
      await printDone(cli, columns, image, `${id} at ${location}: ${image.message}`);
    });

async function imported(
  cli: Cli,
  id: string,
  first: Image,
  timeout: number | undefined,
): Promise<Image> {
  const interruption = cli.io.signal;
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000);
  const signal = limit ? AbortSignal.any([interruption, limit]) : interruption;
  const params = { path: { id }, query: { location_id: [first.location_id] } };
  const hint = `Follow it with "berth image list ${id}".`;
  const line = cli.progress.start(first.message);
  let image = first;
  try {
    while (image.status !== 'ready') {
      if (image.status === 'failed') throw new Failure(image.message);
      line.say(`${id}  ${percent(image.progress)}  ${image.message}`);
      await pauseFor(1, signal);
      const { data } = await cli.berth().GET(path, { params, signal });
      image = data[0] ?? refuseRemoved(id);
    }
    return image;
  } catch (error) {
    line.end();
    if (error instanceof Failure) throw error;
    if (interruption.aborted) cli.note(`The import continues. ${hint}`);
    else if (limit?.aborted) {
      const message = `The import has not ended yet, and continues. ${image.message}`;
      throw new Failure(message, { hint, status: exitStatuses.timeout, cause: error });
    }
    throw error;
  } finally {
    line.end();
  }
}

function refuseRemoved(id: string): never {
  const message = `The image of ${id} was removed before it was imported.`;
  throw new Failure(message, { status: exitStatuses.not_found });
}

export const image = noun('image', 'Import the images of operating systems to locations.', [
  ...[list, importImage],
]);
