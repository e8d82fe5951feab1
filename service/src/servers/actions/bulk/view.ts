import type { BulkAnswer, BulkResult } from '@berth/contract/bulk-actions';
import { counted } from '../../../lib/counted.ts';
import { outcomeOf } from '../../../operations/outcome.ts';
import { type Problem, problems } from '../../../problems/problem.ts';
import type { Result } from './bulk.ts';

/** The results as the API shows them. The operations of a dry run do not exist. */
export function bulkView(
  action: string,
  results: readonly Result[],
  isDryRun: boolean,
): BulkAnswer {
  const shown = results.map((result) => resultView(result, isDryRun));
  const accepted = shown.filter((result) => result.accepted).length;
  const was = isDryRun ? 'would be' : 'was';
  const count = counted(shown.length, 'server');
  const message = `The action ${action} ${was} accepted for ${accepted} of ${count}.`;
  return {
    message: shown.length > 0 ? message : 'The selector selects no servers.',
    accepted,
    refused: shown.length - accepted,
    results: shown,
  };
}

function resultView(result: Result, isDryRun: boolean): BulkResult {
  const { serverId: server_id } = result;
  if ('refusal' in result) {
    return { server_id, accepted: false, problem: refusalView(result.refusal) };
  }
  const { operation } = result;
  return { server_id, accepted: true, ...(!isDryRun && { operation: outcomeOf(operation) }) };
}

type Refusal = NonNullable<BulkResult['problem']>;

function refusalView({ code, message, members }: Problem): Refusal {
  const [status] = problems[code];
  const { operation } = members as Pick<Refusal, 'operation'>;
  return { status, code, detail: message, ...(operation && { operation }) };
}
