import { loadHttp } from './load/http.ts';
import { type Figure, type Measured, ratio, rounded, type Settings } from './part.ts';
import { connections, params10, rpc, version10, words } from './requests.ts';
import { ServerProcess } from './server-process.ts';
import type { Hold } from './servers/storage-hold.ts';

const request = rpc('/', 'SendMessage', params10(words), version10);
const preload = 'storage-hold';

/** Measures how long SQLite holds the event loop of a gateway under load: see servers/storage-hold.ts. */
export async function measureStorageHolds({ rounds, duration }: Settings): Promise<Measured> {
  const agent = await ServerProcess.start('bare-agent', '1.0');
  const gateways = {
    'bridged task': () => ServerProcess.startWith({ preload }, 'bridge', `http://localhost:${agent.http}`),
    'task of the reference agent': () => ServerProcess.startWith({ preload }, 'gateway'),
  };
  const figures: Figure[] = [];
  try {
    for (const [scenario, start] of Object.entries(gateways)) {
      const gateway = await start();
      try {
        const load = (ms: number) =>
          loadHttp(gateway.http, request, { connections, duration: ms, expect: 'TASK_STATE_COMPLETED' });
        await load(duration * 2);
        await gateway.ask<Hold>('hold', 'hold');
        const { requests } = await load(duration * rounds);
        const { hold, wall, long, delay } = await gateway.ask<Hold>('hold', 'hold');
        const holds = { 'longest hold ms': rounded(hold), 'with the wait for a core ms': rounded(wall) };
        const others = { 'holds of 5 ms': long, 'longest delay ms': rounded(delay) };
        figures.push({ scenario, server: 'gateway', requests, ...holds, ...others });
      } finally {
        await gateway.stop();
      }
    }
  } finally {
    await agent.stop();
  }
  const longest = Math.max(...figures.map((figure) => Number(figure['longest hold ms'])));
  return { figures, ratios: [ratio('longest hold of the event loop by storage, ms', longest, '< 5')] };
}
