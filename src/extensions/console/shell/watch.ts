import { effect } from '@preact/signals';
import { admin } from '../gateway/admin.ts';
import { GatewayError } from '../gateway/error.ts';
import { poll } from '../gateway/hooks.ts';
import { waitingStates } from '../tasks/filters.ts';
import { count } from '../ui/format.ts';
import { facts, type GatewayFacts, learn, noteRead, openStreams } from './facts.ts';
import { callerKey, refusal } from './session.ts';

/** Milliseconds between two looks. */
const pause = 10_000;

type Read = (options: { readonly signal: AbortSignal; readonly needed: false }) => Promise<GatewayFacts>;

/** What is read, and what is said while it cannot be read. */
const reads: readonly (readonly [read: Read, unknown: GatewayFacts])[] = [
  [async (options) => ({ replicas: (await admin.call('ListReplicas', {}, options)).replicas ?? [] }), { replicas: [] }],
  [
    async (options) => {
      const { tasks = 0, complete } = await admin.call('GroupTasks', { states: [...waitingStates] }, options);
      return { waiting: tasks === 0 ? '' : `${count(tasks)}${complete ? '' : '+'}` };
    },
    { waiting: '?' },
  ],
  [
    async (options) => {
      if (facts.peek().knowledge !== undefined) return {};
      const { agents = [] } = await admin.call('ListAgents', {}, options);
      return { knowledge: agents.some(({ knowledge }) => knowledge) };
    },
    {},
  ],
];

/** Keeps what every page shows of the gateway, as far as the caller may know it. */
export function watchGateway(): void {
  effect(() => {
    // Another caller may see what this one may not.
    void callerKey.value;
    const isRefused = refusal.value !== undefined;
    learn({ replicas: [], waiting: '', knowledge: undefined });
    if (isRefused) return;
    const refused = new Set<Read>();
    return poll(async (signal) => {
      const one = async ([read, unknown]: (typeof reads)[number]): Promise<void> => {
        if (refused.has(read)) return;
        try {
          learn(await read({ signal, needed: false }));
          if (openStreams.peek() > 0) noteRead();
        } catch (error) {
          if (signal.aborted) return;
          if (error instanceof GatewayError && !error.temporary) refused.add(read);
          else learn(unknown);
        }
      };
      await Promise.all(reads.map(one));
    }, pause);
  });
}
