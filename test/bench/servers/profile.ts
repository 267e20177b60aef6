/**
 * Loaded into a gateway's process before the gateway: profiles its main thread. `profile start` begins; `profile stop`
 * ends and answers where the time went.
 */
import { type Profiler, Session } from 'node:inspector';

/** Microseconds of the main thread by stage, and by function, without the time in which it had nothing to do. */
export interface Stages {
  readonly stages: Readonly<Record<string, number>>;
  readonly functions: Readonly<Record<string, number>>;
}

const native = 'native code of Node outside JavaScript';

/** The stage of a source file; the first row that matches counts. */
const stageOfFile: readonly (readonly [file: RegExp, stage: string])[] = [
  [/\/src\/stores\/|^node:(internal\/)?sqlite/, 'store and SQLite'],
  [/undici|\/src\/(net|client)\/|\/src\/transports\/(outbound\/|\w+\/client)/, 'HTTP client of the agent'],
  [/\/src\/(agents|core\/(tasks|operations|model|cluster))\//, 'task: turn, log, fold, ids of the agent'],
  [/\/src\/(dialects|wire|gen)\//, 'conversion and validation'],
  [
    /\/src\/(transports\/|gateway\/http\/)|^node:(_http|internal\/http|http|url|internal\/url)/,
    'HTTP server and bindings',
  ],
  [/\/src\/|\/node_modules\//, 'authentication, limits, metrics, traces, pipeline'],
  [/timers|task_queues|async_hooks|promises|async_context|abort_controller|event_target/, 'ticks, timers and signals'],
  [/^node:/, 'sockets and streams'],
];

const stageOfName: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', native],
  ['(root)', native],
]);

/** Adds a profile up. A native function belongs to the function that has called it. */
export function stagesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Stages {
  const self = new Map<number, number>();
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + Math.max(timeDeltas[i] ?? 0, 0));
  const stages: Record<string, number> = {};
  const functions: Record<string, number> = {};
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const walk = (node: Profiler.ProfileNode, callersStage: string, callersName: string): void => {
    const { functionName, url } = node.callFrame;
    // To start and to stop the profile takes time, too.
    if (url === 'node:inspector') return;
    const file = url === '' ? undefined : stageOfFile.find(([pattern]) => pattern.test(url))?.[1];
    const stage = stageOfName.get(functionName) ?? file ?? callersStage;
    const place = url.replace(/^.*\/(?=(src|node_modules)\/)/, '');
    const name =
      url === '' ? callersName : `${functionName || '(anonymous)'} ${place}:${node.callFrame.lineNumber + 1}`;
    const time = self.get(node.id) ?? 0;
    if (functionName !== '(idle)' && time > 0) {
      stages[stage] = (stages[stage] ?? 0) + time;
      functions[name] = (functions[name] ?? 0) + time;
    }
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) walk(child, stage, name);
    }
  };
  const [root] = nodes;
  if (root) walk(root, native, '(native)');
  return { stages, functions };
}

let session: Session | undefined;

process.on('message', (question) => {
  if (question === 'profile start') {
    session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: 500 });
    session.post('Profiler.start', () => process.send?.({ started: true }));
  } else if (question === 'profile stop') {
    session?.post('Profiler.stop', (error, { profile }) => {
      if (error) throw error;
      process.send?.(stagesOf(profile));
      session?.disconnect();
    });
  }
});
