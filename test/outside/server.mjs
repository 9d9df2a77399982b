/**
 * Somebody whom recorded programs talk to and who is none of them. Reads a line and answers it:
 *
 *   NAME        "answer to NAME", and closes
 *   later       the same a moment later, in two pieces
 *   big         more than is kept of a conversation
 *   whatever    is said after the client has said that it will say no more
 *
 * Prints its port, and runs until it is killed.
 */
import { createServer } from 'node:net';

const server = createServer({ allowHalfOpen: true }, (socket) => {
  let heard = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    const before = heard;
    heard += bytes;
    if (before.includes('\n') || !heard.includes('\n')) return;
    const name = heard.slice(0, heard.indexOf('\n'));
    if (name === 'until the end') return;
    if (name === 'big') socket.end('0123456789abcdef'.repeat(8192));
    else if (name === 'later') {
      setTimeout(() => socket.write('answer '), 150);
      setTimeout(() => socket.end('to later\n'), 300);
    } else socket.end(`answer to ${name}\n`);
  });
  socket.on('end', () => socket.end(heard.startsWith('until the end') ? `${heard.length}\n` : ''));
});
server.listen(0, process.argv[2] ?? '127.0.0.1', () =>
  console.log(/** @type {import("node:net").AddressInfo} */ (server.address()).port),
);
