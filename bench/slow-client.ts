import { connect, type Socket } from 'node:net';

// Keeps so many connections open on which a request never ends, sent a byte at a time. It opens a
// new one for each that is closed. It is a separate process, so that its work does not slow down
// the measurement.

const [port = '', sockets = ''] = process.argv.slice(2);
const byteEveryMs = 500;
const reopenMs = 50;
const head = 'POST /v1/servers HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const beginnings = [
  `${head}X-Slow: `,
  `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
];
const open = new Set<Socket>();
let opened = 0;

function begin(): void {
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('connect', () => socket.write(beginnings[opened % beginnings.length] ?? ''));
  socket.on('error', () => undefined).resume();
  socket.on('close', () => {
    open.delete(socket);
    setTimeout(begin, reopenMs);
  });
  open.add(socket);
  opened += 1;
}

for (let count = 0; count < Number(sockets); count += 1) begin();
setInterval(() => {
  for (const socket of open) if (socket.writable) socket.write('a');
}, byteEveryMs);
process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify({ open: open.size, opened }));
  process.exit();
});
