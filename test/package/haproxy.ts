import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy'].find((path) => existsSync(path));

/**
 * Starts HAProxy, as an Ingress would be set up, before gateways of this machine: it balances calls over those whose `/readyz` it
 * gets. Resolves with what ends it; undefined where the machine has no HAProxy.
 *
 * @param ports those of the gateways, which may start later
 */
export async function startHaproxy(folder: string, port: number, ports: readonly number[]) {
  if (program === undefined) return undefined;
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `
defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout http-request 10s
  timeout check 10s
frontend entrance
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 500ms fall 1 rise 1
${ports.map((each) => `  server gateway-${each} 127.0.0.1:${each}\n`).join('')}`,
  );
  const child = spawn(program, ['-W', '-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const gone = once(child, 'exit');
  while ((await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) === undefined) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${said}`);
    await sleep(20);
  }
  return async (): Promise<void> => {
    child.kill('SIGTERM');
    await gone;
  };
}
