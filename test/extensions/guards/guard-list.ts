import type { SecurityEvent } from '../../../src/core/ports/audit.ts';
import type { TraceContext } from '../../../src/core/telemetry/trace-context.ts';
import type { Tracing } from '../../../src/core/telemetry/tracing.ts';
import { Chain, type ChainDeps } from '../../../src/extensions/guards/chain.ts';
import { VerdictCounts } from '../../../src/extensions/guards/counts.ts';
import { compileWhere, type Guard, Guards } from '../../../src/extensions/guards/guards.ts';
import type { GuardQuestion } from '../../../src/extensions/guards/model.ts';
import { silent } from '../../support/core.ts';

/** A guard of a test, and its judge. */
export type TestGuard = Partial<Omit<Guard, 'ask' | 'where'>> & {
  readonly where?: string;
  readonly judge: (question: GuardQuestion, signal: AbortSignal, trace: TraceContext) => unknown;
};

/** The subject of questions where a test names no other. */
export const subject = {
  agent: 'demo',
  skill: '',
  principal: 'key:alice',
  tenant: '',
  taskId: 'task',
  contextId: 'context',
  trace: { traceparent: 'the call' },
};

/** Guards with judges in this process, what they have written to the audit log, and what they have counted. */
export function guardList(...list: readonly TestGuard[]) {
  const spans: unknown[] = [];
  const tracing: Tracing = {
    begin: ({ name, kind, parent }) => ({
      trace: { traceparent: `below ${parent.traceparent}` },
      recording: true,
      set: (attributes) => void spans.push({ name, kind, ...attributes }),
      event: () => undefined,
      fail: (failed) => void spans.push({ name, failed }),
      end: () => void spans.push({ name, ended: true }),
    }),
    within: (_, run) => run(),
  };
  const audited: SecurityEvent[] = [];
  const counts = new VerdictCounts();
  const { conditions } = compileWhere(list);
  const all = list.map(
    ({ judge, ...guard }, at): Guard => ({
      name: `guard-${at}`,
      on: ['request', 'answer'],
      timeout: 5_000,
      onError: 'block',
      window: 0,
      shadow: false,
      ...guard,
      where: conditions[at],
      ask: async (question, trace, signal) => judge(question, signal, trace),
    }),
  );
  const guards = new Guards(all, {
    audit: (event) => void audited.push(event),
    logger: silent,
    counts,
    agents: { get: () => undefined },
    store: { findRecord: async () => undefined },
    revalidate: (principal) => principal,
    pathOf: () => [],
    tracing,
  });
  const chain = (more: Partial<ChainDeps> = {}): Chain =>
    new Chain(all, { guards, phase: 'answer', subject, signal: new AbortController().signal, ...more });
  return { all, guards, chain, audited, counts, spans };
}

/** Waits for some turns of the queue of microtasks: no clock. */
export async function afterTurns(turns: number): Promise<void> {
  for (let at = 0; at < turns; at += 1) await null;
}
