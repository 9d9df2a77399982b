import { createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { GdbConnection } from './connection.ts';
import { framed } from './packets.ts';

/** Whatever is at the other end of a connection. */
async function peer(talk: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const one of sockets) one.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function connectTo(
  talk: (socket: Socket) => void,
  patience?: number,
): Promise<GdbConnection> {
  const port = await peer(talk);
  const stub = await GdbConnection.open({ host: '127.0.0.1', port }, patience);
  onTestFinished(() => stub.close());
  return stub;
}

const onRequest = (socket: Socket, answer: (request: string) => void): void => {
  socket.on('data', (bytes) => {
    for (const [, request = ''] of bytes.toString().matchAll(/\$([^#]*)#../g)) answer(request);
  });
};

it('has answers in the order of the requests', async () => {
  const stub = await connectTo((socket) =>
    onRequest(socket, (request) => socket.write(request === 'a' ? '+$1#31' : '+$22#64')),
  );
  expect(await Promise.all([stub.ask('b'), stub.ask('a'), stub.ask('b')])).toEqual([
    '22',
    '1',
    '22',
  ]);
});

it('passes over what a program prints while it runs', async () => {
  const stub = await connectTo((socket) =>
    onRequest(socket, () =>
      socket.write(['O6869', 'O6a', 'T05'].map((one) => framed(one)).join('+')),
    ),
  );
  expect((await stub.resume('vCont;c')).toString()).toBe('T05');
});

it('hears what a command of the stub prints', async () => {
  const stub = await connectTo((socket) =>
    onRequest(socket, (request) => {
      const answer = request === 'qRcmd,6869' ? ['O6869', 'O0a', 'OK'] : [''];
      socket.write(answer.map((one) => framed(one)).join('+'));
    }),
  );
  expect(await stub.monitor('hi')).toBe('hi\n');
  expect(await stub.monitor('what')).toBe(undefined);
});

it('does not take what was said before for an answer', async () => {
  const stub = await connectTo((socket) => {
    socket.write(framed('T02thread:01;'));
    onRequest(socket, () => socket.write(framed('PacketSize=1000')));
  });
  expect(await stub.greet('qSupported')).toBe('PacketSize=1000');
});

it('says so if the other side closes', async () => {
  const stub = await connectTo((socket) => onRequest(socket, () => socket.end()));
  const name = stub.name;
  await expect(stub.ask('?')).rejects.toThrow(`the gdb stub at ${name} has closed the connection`);
  await expect(stub.ask('?')).rejects.toThrow('has closed the connection');
});

it('says so if the other side closes in mid-packet, or while the program runs', async () => {
  const stub = await connectTo((socket) => onRequest(socket, () => socket.end('+$T05thr')));
  await expect(stub.resume('c')).rejects.toThrow('has closed the connection');
});

it('says so if the other side is no stub', async () => {
  const stub = await connectTo((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'));
  const name = stub.name;
  await expect(stub.ask('?')).rejects.toThrow(
    `the gdb stub at ${name} does not speak the GDB remote protocol: it said "SSH-2.0`,
  );
});

it('says so if the other side breaks', async () => {
  const stub = await connectTo((socket) =>
    onRequest(socket, (request) => socket.write(request === 'a' ? '+$OK#9a' : '$OK#00')),
  );
  expect(await stub.ask('a')).toBe('OK');
  await expect(stub.ask('b')).rejects.toThrow('has stopped speaking the GDB remote protocol');
});

it('does not wait for ever', async () => {
  const stub = await connectTo(() => {}, 50);
  await expect(stub.ask('?')).rejects.toThrow('has not answered for 0.05 s');
});

it('waits for a stop as long as it takes, but not after an interrupt', async () => {
  const stub = await connectTo(() => {}, 50);
  const stopped = stub.resume('vCont;c').then(
    () => 'stopped',
    () => 'lost',
  );
  const later = new Promise((resolve) => setTimeout(resolve, 200, 'still running'));
  expect(await Promise.race([stopped, later])).toBe('still running');
  stub.interrupt();
  expect(await stopped).toBe('lost');
});

it('cannot be opened where nobody listens', async () => {
  const port = await peer(() => {});
  const stub = GdbConnection.open({ host: '127.0.0.1', port: port === 1 ? 2 : 1 });
  await expect(stub).rejects.toThrow('no gdb stub can be reached at 127.0.0.1:');
});
