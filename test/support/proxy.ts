import { connect, createServer, type Socket } from 'node:net';
import { endAfterTest } from './peer.ts';

/** A proxy between a client and a server that disturbs connections as networks do. */
export interface TcpProxy {
  readonly port: number;
  /** The URL of the server, by way of this proxy. */
  via(url: string): string;
  /** Treatment of connections, including open ones. `hole`: they are accepted, and nothing is ever passed on. */
  mode: 'pass' | 'hole' | 'refuse';
  /** Pauses the traffic without losing any, as if the other side stood still. */
  freeze(): void;
  /** Passes on what has come meanwhile. */
  thaw(): void;
  /** Port to which new connections lead. */
  target: number;
  /** Milliseconds that each new connection takes. */
  handshake: number;
  /** New connections: all so far, those that are not through yet, and the most that were not at a time. */
  readonly attempts: { all: number; underWay: number; mostUnderWay: number };
  /** Decides over what a client sends: whether it is passed on, and when the connection is cut. Default: all is passed. */
  onSent: (data: Buffer) => 'pass' | 'cut' | 'pass and cut' | 'cut at the answer';
  /** Cuts all connections. */
  cut(): void;
  close(): Promise<void>;
}

/** Listens on a port of loopback, and passes connections on to another one. */
export async function startProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  const cut = (...ends: Socket[]): void => {
    for (const end of ends) end.destroy();
  };
  const server = createServer((near) => {
    if (proxy.mode === 'refuse') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(proxy.target, '127.0.0.1');
    beginHandshake(near, far);
    let atAnswer = false;
    let alone = false;
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      if (frozen) one.pause();
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        if (proxy.mode !== 'hole' && !alone) other.destroy();
      });
    }
    near.on('data', (data: Buffer) => {
      if (proxy.mode === 'hole') return;
      const fate = proxy.onSent(data);
      if (frozen) near.unshift(data);
      else if (fate === 'cut') cut(near, far);
      else far.write(data);
      if (fate === 'pass and cut') {
        // The server gets it all, but cannot answer the client any more.
        alone = true;
        near.destroy();
        far.end();
      }
      atAnswer ||= fate === 'cut at the answer';
    });
    far.on('data', (data: Buffer) => {
      if (proxy.mode === 'hole') return;
      if (atAnswer) cut(near, far);
      else if (!alone) near.write(data);
    });
  });
  const beginHandshake = (near: Socket, far: Socket): void => {
    const { attempts, handshake } = proxy;
    attempts.all += 1;
    attempts.underWay += 1;
    attempts.mostUnderWay = Math.max(attempts.mostUnderWay, attempts.underWay);
    let isOver = false;
    const end = (): void => {
      if (!isOver) attempts.underWay -= 1;
      isOver = true;
      if (!frozen) far.resume();
    };
    near.once('close', end);
    if (proxy.mode === 'hole') return;
    if (handshake > 0) far.pause();
    setTimeout(end, handshake);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  const proxy: TcpProxy = {
    port: address.port,
    via: (url) => url.replace(`:${new URL(url).port}`, `:${address.port}`),
    mode: 'pass',
    target,
    handshake: 0,
    attempts: { all: 0, underWay: 0, mostUnderWay: 0 },
    onSent: () => 'pass',
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut: () => cut(...sockets),
    close: endAfterTest(async () => {
      cut(...sockets);
      await new Promise((resolve) => server.close(resolve));
    }),
  };
  return proxy;
}
