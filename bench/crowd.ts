import { connect, type Socket } from 'node:net';

// Ten addresses that each hold as many connections as an address may have, send nothing on them, and open a new one for
// each that is closed. It is a separate process, so that its work does not slow down the measurement.

const [port = ''] = process.argv.slice(2);
const addresses = 10;
/** Each address may have a tenth of the default maximum of 4,000 connections. */
const each = 400;
const reopenMs = 1000;
const open = new Set<Socket>();
let opened = 0;

function begin(localAddress: string): void {
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined).resume();
  socket.on('close', () => {
    open.delete(socket);
    setTimeout(begin, reopenMs, localAddress);
  });
  open.add(socket);
  opened += 1;
}

for (let address = 0; address < addresses; address += 1) {
  for (let count = 0; count < each; count += 1) begin(`127.0.1.${address + 1}`);
}
process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify({ open: open.size, opened }));
  process.exit();
});
