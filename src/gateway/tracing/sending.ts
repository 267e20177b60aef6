import type { TaskTraces } from '../../core/telemetry/task-traces.ts';
import { type Tracing, traced } from '../../core/telemetry/tracing.ts';
import type { Send } from '../../push/sender.ts';

/** Gives what is sent to webhooks its place in the trace of the turn that brought it; while the gateway traces, as a span. */
export function traceSending(send: Send, traces: TaskTraces, tracing: Tracing | undefined): Send {
  return (delivery, shape, body, signal) => {
    const turn = traces.of(delivery.key);
    if (!tracing) return send(delivery, shape, body, signal, turn);
    return traced(
      tracing,
      { name: 'A2A push', kind: 'client', parent: turn },
      () => ({
        'gen_ai.agent.name': delivery.owner.agent,
        'a2a.dialect': delivery.dialect,
        'a2a.push.receiver': delivery.receiver,
        'a2a.push.attempt': delivery.attempts + 1,
      }),
      async (span) => {
        const outcome = await send(delivery, shape, body, signal, span.trace);
        if (outcome.kind !== 'delivered' && outcome.kind !== 'canceled') span.fail(outcome.kind);
        return outcome;
      },
      () => 'internal',
    );
  };
}
