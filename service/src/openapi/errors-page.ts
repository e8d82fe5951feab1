import { type Explanation, explanations, type Retry } from '../problems/explanations.ts';
import { failures } from '../problems/failures.ts';
import { type ProblemCode, problems } from '../problems/problem.ts';

const retryWords: Record<Retry, string> = {
  no: 'No. The same request is refused again.',
  after_change: 'Once the cause is gone.',
  later: 'Yes, after a pause.',
};

const style = `body{font:16px/1.5 system-ui;margin:2rem auto;max-width:80rem;padding:0 1rem}
table{border-collapse:collapse}td,th{padding:.4rem .8rem;text-align:left;vertical-align:top;border-bottom:1px solid #ccc}
:target{background:#fe9}`;

/**
 * The page to which the `type` of a problem refers: a row for each code, with the code as its
 * anchor.
 */
export function errorsPage(): string {
  const codes = Object.keys(problems) as ProblemCode[];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Errors of the Berth API</title>
<style>${style}</style>
<h1>Errors</h1>
<p>Each error is a problem (RFC 9457). Its <code>code</code> is one of these, and its <code>detail</code> says what went
wrong this time. <a href="/docs">The whole API</a></p>
<p>Where the last column says that a request may be sent again, wait for the seconds in <code>Retry-After</code>; without
that header wait for a second, and twice as long each time. If a change was refused or got no answer, send it again with the
same <code>Idempotency-Key</code>, so that it is made only once.</p>
<h2>Refused requests</h2>
${table(codes.filter((code) => !(code in failures)))}
<h2>Failed operations</h2>
<p>An operation that failed has one of these codes, and so has the response to a request that waited for it. To try again,
send the request with a new <code>Idempotency-Key</code>, since the same one returns the failure again. After a failed
creation, use <code>POST /v1/servers/{id}/retry</code> instead: another create would make a second server.</p>
${table(codes.filter((code) => code in failures))}
</html>
`;
}

function table(codes: ProblemCode[]): string {
  return `<table>
<tr><th>Code</th><th>Status</th><th>Meaning</th><th>When</th><th>What to do</th><th>Send it again?</th></tr>
${codes.map(row).join('\n')}
</table>`;
}

function row(code: ProblemCode): string {
  const [status, title] = problems[code];
  const [when, action, retry]: Explanation = explanations[code];
  const cells = [`\`${code}\``, String(status), title, when, action, retryWords[retry]];
  return `<tr id="${code}">${cells.map((cell) => `<td>${inHtml(cell)}</td>`).join('')}</tr>`;
}

/** Escapes the text, and converts text between backquotes to code. */
function inHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
