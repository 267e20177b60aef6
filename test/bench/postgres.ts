import { startPostgres } from '../support/postgres.ts';
import { loadHttp } from './load/http.ts';
import { type Measured, ratio, rounded, type Settings } from './part.ts';
import { connections, params10, rpc, version10, words } from './requests.ts';
import { measureInTurns, type Sample } from './rounds.ts';
import { cpuOfPostgres, durable } from './scaling/machine.ts';
import { ServerProcess } from './server-process.ts';

const request = rpc('/', 'SendMessage', params10(words), version10);

/**
 * CPU of the gateway and of PostgreSQL for one task. Paired with the gateway of an earlier checkout where `before` names
 * one: without it there is a figure, which depends on the machine, and no ratio.
 */
export async function measurePostgres(settings: Settings): Promise<Measured> {
  const { before, duration } = settings;
  const trees = { gateway: {}, ...(before !== undefined && { 'gateway before': { tree: before } }) };
  const postgres = await startPostgres(durable);
  const running: ServerProcess[] = [];
  try {
    const loads = new Map<string, (ms: number) => Promise<Sample>>();
    for (const [name, tree] of Object.entries(trees)) {
      const server = await ServerProcess.startWith(tree, 'replica', await postgres.database());
      running.push(server);
      const used = async () => ({ own: (await server.usage()).cpu, postgres: cpuOfPostgres(postgres) * 1_000 });
      loads.set(name, async (ms) => {
        const begin = await used();
        const load = await loadHttp(server.http, request, {
          connections,
          duration: ms,
          expect: 'TASK_STATE_COMPLETED',
        });
        const end = await used();
        const [gateway, database] = [end.own - begin.own, end.postgres - begin.postgres];
        const per = (cpu: number): number => cpu / load.requests;
        return { 'CPU µs': per(gateway + database), 'of the gateway': per(gateway), 'of PostgreSQL': per(database) };
      });
    }
    // The kernel counts the CPU of other processes in steps of 10 ms.
    const of = await measureInTurns(loads, { ...settings, duration: Math.max(duration, 1_000) }, 'CPU µs');
    const figures = [...loads.keys()].map((server) => {
      const measures = Object.entries(of(server)).map(([key, value]) => [key, rounded(value)]);
      return { scenario: 'task on PostgreSQL', server, ...Object.fromEntries(measures) };
    });
    if (before === undefined) return { figures, ratios: [] };
    const paired = (of('gateway')['CPU µs'] ?? 0) / (of('gateway before')['CPU µs'] ?? 0);
    const what = 'task on PostgreSQL: CPU of gateway and server over that of the earlier checkout';
    return { figures, ratios: [ratio(what, paired, '≤ 0.65')] };
  } finally {
    for (const server of running) await server.stop();
    await postgres.stop();
  }
}
