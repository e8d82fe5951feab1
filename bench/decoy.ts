import { createServer } from 'node:http';

// Refuses everything at once. What a greedy client costs the machine, without costing Berth.

const body = JSON.stringify({ code: 'rate_limited', detail: 'x'.repeat(300) });
createServer((_request, response) => {
  response.writeHead(429, { 'Content-Type': 'application/problem+json', 'Retry-After': '1' });
  response.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1');
