import { createServer } from 'node:http';

// Refuses every request, after the same delay as Berth. The greedy client then does the same work in both cases, and
// the difference is the cost for Berth.

const body = JSON.stringify({ code: 'rate_limited', detail: 'x'.repeat(300) });
const heldMs = { least: 100, most: 300 };
createServer((_request, response) => {
  const held = heldMs.least + Math.random() * (heldMs.most - heldMs.least);
  setTimeout(() => {
    response.writeHead(429, { 'Content-Type': 'application/problem+json', 'Retry-After': '1' });
    response.end(body);
  }, held);
}).listen(Number(process.argv[2]), '127.0.0.1');
