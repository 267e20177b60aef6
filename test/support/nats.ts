import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { paced } from './pace.ts';
import { freePort } from './peer.ts';

/** The program `nats-server`: `NATS_SERVER` of the environment, or the one in PATH. Undefined: there is none. */
export const natsServer = [process.env.NATS_SERVER, 'nats-server'].find(
  (name) => name !== undefined && spawnSync(name, ['--version']).status === 0,
);

/** A NATS server of one's own. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port. */
  start(): Promise<void>;
  /** Connections stay open, and nothing on them is answered. */
  freeze(): void;
  thaw(): void;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server on a free port of loopback. Call `kill` when done. */
export async function startNats(flags: readonly string[] = [], login = ''): Promise<NatsServer> {
  if (natsServer === undefined) throw new Error('there is no nats-server: set NATS_SERVER, or put it into PATH');
  const program = natsServer;
  const port = await freePort();
  let child: ChildProcess | undefined;
  const server: NatsServer = {
    url: `nats://${login}127.0.0.1:${port}`,
    port,
    async kill() {
      if (child?.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
      running.delete(child);
    },
    async start() {
      child = spawn(program, ['-a', '127.0.0.1', '-p', String(port), ...flags], { stdio: 'ignore' });
      running.add(child);
      for (const until = Date.now() + paced(10_000); !(await answers(port)); await delay(20)) {
        if (Date.now() > until) throw new Error('nats-server did not start');
      }
    },
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
  };
  await server.start();
  return server;
}

/** Whether a port is listened on. */
function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
