import { connect, type Socket } from 'node:net';

// Ten addresses that each request the largest public file on ten connections, uncompressed, and read nothing of it. Each
// connection is replaced after 20 seconds, before the service disconnects a slow reader. It is a separate process, so
// that its work does not slow down the measurement.

const [port = ''] = process.argv.slice(2);
const addresses = 10;
const most = 100;
const replaceMs = 200;
const request =
  'GET /docs/js/scalar.js HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: identity\r\n\r\n';
const open: Socket[] = [];
let opened = 0;

function begin(): void {
  const localAddress = `127.0.1.${(opened % addresses) + 1}`;
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined).pause();
  socket.write(request);
  open.push(socket);
  opened += 1;
}

for (let count = 0; count < most; count += 1) begin();
setInterval(() => {
  open.shift()?.destroy();
  begin();
}, replaceMs);
process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify({ open: open.length, opened }));
  process.exit();
});
