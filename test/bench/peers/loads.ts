import { loadHttp } from '../load/http.ts';
import { loadPaced } from '../load/paced.ts';
import { cpuOfProcess } from '../process-cpu.ts';
import { connections, params10, rpc, version10, words } from '../requests.ts';
import type { Started } from './peer.ts';

/** The agents behind the peers: one answers messages only, the other also streams. */
export type AgentKind = 'plain' | 'streaming';

/** Results of one round of a load. */
export interface Round {
  readonly calls: number;
  /** Milliseconds of CPU of the peer's processes. */
  readonly cpu: number;
  /** Milliseconds. */
  readonly elapsed: number;
  /** Milliseconds of every answer, until its end. */
  readonly latencies: readonly number[];
  /** Milliseconds until the first event of every stream. */
  readonly firsts: readonly number[];
}

export interface LoadKind {
  readonly name: string;
  readonly agent: AgentKind;
  run(peer: Started, duration: number): Promise<Round>;
}

/** Messages and streams a second where the load does not follow the answers: every peer can do so many on two cores. */
const messageRate = 200;
const streamRate = 30;
/** Rounds at a fixed rate are longer, because they have fewer calls. */
const paceFactor = 2;

const expect = 'TASK_STATE_COMPLETED';
const message = ({ path, headers }: Started): Buffer =>
  rpc(path, 'SendMessage', params10(words), { ...version10, ...headers });
const stream = ({ path, headers }: Started, gap: number): Buffer =>
  rpc(path, 'SendStreamingMessage', params10(`20 ${gap} ${words}`), {
    ...version10,
    ...headers,
    Accept: 'text/event-stream',
  });

async function fullSpeed(peer: Started, request: Buffer, duration: number): Promise<Round> {
  const before = cpuOfProcess(peer.pid);
  const { requests, elapsed, latencies } = await loadHttp(peer.port, request, { connections, duration, expect });
  return { calls: requests, cpu: cpuOfProcess(peer.pid) - before, elapsed, latencies, firsts: [] };
}

async function fixedRate(peer: Started, request: Buffer, rate: number, duration: number): Promise<Round> {
  const before = cpuOfProcess(peer.pid);
  const load = await loadPaced(peer.port, request, { rate, duration: duration * paceFactor, expect });
  const { requests: calls, elapsed, latencies, firsts } = load;
  return { calls, cpu: cpuOfProcess(peer.pid) - before, elapsed, latencies, firsts };
}

/** The loads of the comparison, in the order in which they run. */
export const loads: readonly LoadKind[] = [
  {
    name: `message, ${connections} callers at full speed`,
    agent: 'plain',
    run: (peer, duration) => fullSpeed(peer, message(peer), duration),
  },
  {
    name: `message, ${messageRate} a second`,
    agent: 'plain',
    run: (peer, duration) => fixedRate(peer, message(peer), messageRate, duration),
  },
  {
    name: `message to an agent that streams, ${connections} callers at full speed`,
    agent: 'streaming',
    run: (peer, duration) => fullSpeed(peer, message(peer), duration),
  },
  {
    name: `stream of 20 chunks, ${connections} callers at full speed`,
    agent: 'streaming',
    run: (peer, duration) => fullSpeed(peer, stream(peer, 0), duration),
  },
  {
    name: `stream of 20 chunks 10 ms apart, ${streamRate} a second`,
    agent: 'streaming',
    run: (peer, duration) => fixedRate(peer, stream(peer, 10), streamRate, duration),
  },
];
