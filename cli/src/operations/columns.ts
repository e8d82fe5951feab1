import { columnsOf } from '../output/columns.ts';
import { colouredStatus } from '../output/style.ts';
import { age, milliseconds, moment, percent } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';

type Operation = Schemas['Operation'];

export const operationColumns = columnsOf<Operation>(
  {
    id: (operation) => operation.id,
    kind: (operation) => operation.kind,
    status: {
      of: (operation) => operation.status,
      text: ({ status }, style) => colouredStatus(status, style),
    },
    cancellable: (operation) => operation.cancellable,
    progress: {
      of: (operation) => operation.progress,
      text: ({ progress }) => percent(progress),
    },
    server_id: (operation) => operation.server_id,
    node: (operation) => operation.node,
    message: (operation) => operation.message,
    error: (operation) => operation.error?.code,
    commands: {
      of: ({ commands }) => commands?.length ?? null,
      text: ({ commands }) =>
        commands?.length
          ? commands.map((one) => commandText(one, commands.length)).join('\n')
          : '-',
    },
    user_data: {
      of: (operation) => operation.user_data?.status,
      text: ({ user_data: outcome }, style) =>
        outcome ? [colouredStatus(outcome.status, style), ...outcome.errors].join('\n') : '-',
    },
    placement: (operation) => operation.placement?.reason,
    servers: {
      of: ({ servers }) => servers?.map(({ hostname }) => hostname) ?? null,
      text: ({ servers }, style) =>
        servers?.length
          ? servers
              .map(
                ({ hostname, status, node, reason }) =>
                  `${hostname} ${colouredStatus(status, style)} ${node ?? ''} ${reason ?? ''}`,
              )
              .join('\n')
          : '-',
    },
    created_at: {
      of: (operation) => operation.created_at,
      text: (operation) => moment(operation.created_at),
    },
    duration: {
      of: (operation) => durationMs(operation),
      text: (operation) => {
        const ms = durationMs(operation);
        return ms === null ? '-' : milliseconds(ms);
      },
    },
    age: {
      of: (operation) => operation.created_at,
      text: (operation) => age(operation.created_at),
    },
  },
  ['id', 'kind', 'status', 'progress', 'server_id', 'message', 'age'],
  ({ id }) => String(id),
);

function durationMs({ started_at, finished_at }: Operation): number | null {
  if (started_at === null || finished_at === null) return null;
  return Date.parse(finished_at) - Date.parse(started_at);
}

/** The end of the output of a command that failed says why. */
function commandText(result: Schemas['CommandResult'], total: number): string {
  const { index, exit_status, duration_ms, output } = result;
  const lasted = duration_ms === null ? '' : ` after ${milliseconds(duration_ms)}`;
  const why = exit_status === 0 ? undefined : output?.trimEnd().split('\n').at(-1);
  return `${index + 1} of ${total}: exit status ${exit_status}${lasted}${why ? `: ${why}` : ''}`;
}
