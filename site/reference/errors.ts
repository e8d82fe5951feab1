import { explanations, type Retry } from '../../service/src/problems/explanations.ts';
import { failures } from '../../service/src/problems/failures.ts';
import { type ProblemCode, problems } from '../../service/src/problems/problem.ts';

const retryWords: Record<Retry, string> = {
  no: 'Do not send the same request again: it is refused again.',
  after_change: 'Send the same request again once the cause is gone.',
  later: 'Send the same request again after a pause.',
};

/** The page with each error, its cause, what to do, and an example. */
export function errorsPage(): string {
  const codes = Object.keys(problems) as ProblemCode[];
  const ofOperations = codes.filter((code) => code in failures);
  return [
    ...['# Errors', ''],
    'Each error is a problem (RFC 9457). Its `code` is one of these, and its `detail` says what went wrong this time.',
    'If a change was refused or got no answer, send it again with the same `Idempotency-Key`, so that it is made only once.',
    ...['', '## Refused requests', ''],
    ...codes.filter((code) => !(code in failures)).flatMap(describe),
    ...['## Failed operations', ''],
    'An operation that failed has one of these codes, and so has the response to a request that waited for it.',
    ...['', ...ofOperations.flatMap(describe)],
  ].join('\n');
}

function describe(code: ProblemCode): string[] {
  const [status, title] = problems[code];
  const [when, action, retry] = explanations[code];
  const example = { type: `/docs/errors#${code}`, title, status, code };
  return [
    ...[`### ${title} {#${code}}`, ''],
    ...[`Code \`${code}\`, status ${status}. ${when}`, '', `${action} ${retryWords[retry]}`, ''],
    ...[`\`${JSON.stringify(example)}\``, ''],
  ];
}
