import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Proxies of others, which are started with configurations that the documentation shows. */

const found = (names: readonly (string | undefined)[], flag: string): string | undefined =>
  names.find((name) => name !== undefined && spawnSync(name, [flag]).status === 0);

/** The program `haproxy`: `HAPROXY` of the environment, or the machine's. Undefined: there is none. */
export const haproxy = found([process.env.HAPROXY, 'haproxy', '/usr/sbin/haproxy'], '-v');

/** The program `envoy`: `ENVOY` of the environment, or the machine's. Undefined: there is none. */
export const envoy = found([process.env.ENVOY, 'envoy'], '--version');

export interface RunningProxy {
  close(): Promise<void>;
}

export const startHaproxy = (folder: string, config: string, port: number): Promise<RunningProxy> =>
  start(haproxy ?? 'haproxy', ['-db', '-f', written(folder, 'haproxy.cfg', config)], folder, port);

export const startEnvoy = (folder: string, config: string, port: number): Promise<RunningProxy> => {
  const file = written(folder, 'envoy.yaml', config);
  const flags = ['--use-dynamic-base-id', '--concurrency', '1', '--log-level', 'warning'];
  return start(envoy ?? 'envoy', ['-c', file, ...flags], folder, port);
};

function written(folder: string, name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** Starts a proxy that stays in the foreground. Rejects with its words when it refuses the configuration. */
async function start(program: string, args: readonly string[], folder: string, port: number): Promise<RunningProxy> {
  const log = join(folder, 'proxy.log');
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const written = createWriteStream(log);
  child.stdout.pipe(written, { end: false });
  child.stderr.pipe(written, { end: false });
  const gone = once(child, 'exit');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${readFileSync(log, 'utf8')}`);
    await sleep(20);
  }
  return {
    async close() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** Whether a port of this machine accepts a connection. */
export function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
