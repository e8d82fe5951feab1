import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

// Reads the plans that auto_explain logs as JSON. With those of triggers there are hundreds of megabytes, so that they are
// read one by one.

export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

export interface LoggedPlan {
  queryId: string;
  /** As it was sent. */
  text: string;
  root: Plan;
}

/** Each entry is a line with the duration, and JSON in lines that begin with a tab. */
const beginning = /duration: [\d.]+ ms {2}plan:$/;

/** The plans in a part of a log, which must end with another line. */
export async function* loggedPlans(
  path: string,
  { start, end }: { start: number; end: number },
): AsyncGenerator<LoggedPlan> {
  const input = createReadStream(path, { start, end: end - 1 });
  let json: string | undefined;
  for await (const line of createInterface({ input })) {
    if (json !== undefined && line.startsWith('\t')) {
      json += line;
      continue;
    }
    if (json !== undefined) yield planIn(json);
    json = beginning.test(line) ? '' : undefined;
  }
}

function planIn(json: string): LoggedPlan {
  const { Plan: root, 'Query Text': text } = JSON.parse(json) as {
    Plan: Plan;
    'Query Text': string;
  };
  // As a number, it would lose its last digits.
  const [, queryId = ''] = /"Query Identifier": (-?\d+)/.exec(json) ?? [];
  return { queryId, text, root };
}
