import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/peer.ts';
import { type Measured, median, ratio, rounded, type Settings } from './part.ts';
import { params10, version10 } from './requests.ts';

/** A bare server of Node's, to tell the machine's speed by. */
const bare =
  "require('http').createServer((q, r) => { q.resume(); r.end('{}'); }).listen(Number(process.argv[1]), '127.0.0.1')";

let built: Promise<void> | undefined;

/** Builds what the package ships: it starts in another time than the sources do. */
async function build(): Promise<void> {
  const script = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`npm run build ended with ${code}`);
}

/** Milliseconds from starting the process to the first answer: of the built package, and of bare Node. */
export async function measureFirstAnswer({ rounds }: Settings): Promise<Measured> {
  built ??= build();
  await built;
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const package_ = (port: number) => [main, 'serve', '--port', String(port), '--store', 'memory:'];
  const commands = { gateway: package_, 'bare-http': (port: number) => ['-e', bare, String(port)] };
  const times: Record<keyof typeof commands, number[]> = { gateway: [], 'bare-http': [] };
  // The first start of a package writes V8's compile cache after two seconds, and all later ones read it.
  await startOnce(commands.gateway, 4_000);
  for (let round = 0; round < Math.max(rounds, 2) * 2; round += 1) {
    for (const name of ['gateway', 'bare-http'] as const) times[name].push(await startOnce(commands[name]));
  }
  const scenario = 'first answer after start';
  const figures = Object.entries(times).map(([server, all]) => ({ scenario, server, ms: rounded(median(all)) }));
  const overBare = median(times.gateway) / median(times['bare-http']);
  return { figures, ratios: [ratio(`${scenario}, from the package: time over bare node:http`, overBare, '≤ 3')] };
}

/** @param life milliseconds for which the process lives on after its first answer */
async function startOnce(command: (port: number) => string[], life = 0): Promise<number> {
  const port = await freePort();
  const begin = performance.now();
  const child = spawn(process.execPath, command(port), { stdio: 'ignore' });
  try {
    const time = await firstAnswer(port, begin);
    await sleep(life);
    return time;
  } finally {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

async function firstAnswer(port: number, begin: number): Promise<number> {
  const headers = { 'Content-Type': 'application/json', ...version10 };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: params10('say hi') });
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
      await response.text();
      return performance.now() - begin;
    } catch (error) {
      if (performance.now() - begin > 10_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
