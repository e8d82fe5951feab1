import { createServer } from 'node:http';

// Refuses everything, after as long as Berth holds a refusal: so the greedy client does the same work
// here and there, and what differs is what it costs Berth.

const body = JSON.stringify({ code: 'rate_limited', detail: 'x'.repeat(300) });
const heldMs = { least: 100, most: 300 };
createServer((_request, response) => {
  const held = heldMs.least + Math.random() * (heldMs.most - heldMs.least);
  setTimeout(() => {
    response.writeHead(429, { 'Content-Type': 'application/problem+json', 'Retry-After': '1' });
    response.end(body);
  }, held);
}).listen(Number(process.argv[2]), '127.0.0.1');
