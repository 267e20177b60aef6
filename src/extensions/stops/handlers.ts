import { timestamp } from '../../core/model/agent-events.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Stop as ShownStop } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers, AuditedFacts } from '../handlers.ts';
import { fault } from '../requests.ts';
import { requireAgent, taskOf } from '../subjects.ts';
import type { Stop, StopKind } from './model.ts';
import type { OperatorStops } from './stops.ts';

/** Characters. */
const longest = { reason: 500, principal: 1_000 } as const;

export interface StopHandlersDeps {
  readonly store: Pick<Store, 'overviewOf'>;
  readonly stops: Pick<OperatorStops, 'list' | 'resume' | 'stop'>;
  readonly agents: AgentDirectory;
  /**
   * Stops a tree at the other gateways that it has reached, or, without a reason, undoes that. Resolves with descriptions of the
   * gateways that were not reached.
   */
  readonly stopElsewhere: (root: string, by: string, reason?: string) => Promise<string[]>;
}

const shown = ({ stoppedAt, ...stop }: Stop): ShownStop => ({ ...stop, stoppedAt: timestamp(stoppedAt) });

type Operations = 'StopCaller' | 'ResumeCaller' | 'StopAgent' | 'ResumeAgent' | 'StopRoot' | 'ResumeRoot' | 'ListStops';

/** Returns the operations that stop callers, agents and trees of tasks, and that undo it. */
export function stopHandlers({ store, stops, agents, stopElsewhere }: StopHandlersDeps): AdminHandlers<Operations> {
  const stop = async (wanted: Omit<Stop, 'stoppedAt'>, facts: AuditedFacts): Promise<{ value: ShownStop }> => {
    const reason = wanted.reason.trim();
    if (reason === '') throw fault('reason', 'must say why: callers whose calls are refused get it in their errors');
    if (reason.length > longest.reason) throw fault('reason', `must have at most ${longest.reason} characters`);
    facts.reason = reason;
    return { value: shown(await stops.stop({ ...wanted, reason })) };
  };
  const resume = async (kind: StopKind, subject: string, field: string): Promise<{ value: ShownStop }> => {
    const undone = await stops.resume(kind, subject);
    if (!undone) throw fault(field, 'is not stopped');
    return { value: shown(undone) };
  };
  return {
    StopCaller({ principal, reason }, { principal: { id: stoppedBy } }, facts) {
      if (principal.length > longest.principal)
        throw fault('principal', `must have at most ${longest.principal} characters`);
      if (principal === stoppedBy) throw fault('principal', 'is your own: you could not undo it');
      return stop({ kind: 'caller', subject: principal, reason, stoppedBy }, facts);
    },
    ResumeCaller: ({ principal }) => resume('caller', principal, 'principal'),
    async StopAgent({ name, reason }, { principal: { id: stoppedBy } }, facts) {
      requireAgent(agents, name);
      return stop({ kind: 'agent', subject: name, reason, stoppedBy }, facts);
    },
    ResumeAgent: ({ name }) => resume('agent', name, 'name'),
    async StopRoot({ key, reason }, { principal: { id: stoppedBy } }, facts) {
      const { root } = await taskOf({ store }, key, facts);
      const { value } = await stop({ kind: 'root', subject: root, reason, stoppedBy }, facts);
      return { value: { ...value, missing: await stopElsewhere(root, stoppedBy, value.reason) } };
    },
    // If the task has expired, only the key of its root works.
    async ResumeRoot({ key }, { principal }) {
      const root = (await store.overviewOf(key))?.root ?? key;
      const { value } = await resume('root', root, 'key');
      return { value: { ...value, missing: await stopElsewhere(root, principal.id) } };
    },
    ListStops: async () => ({ value: { stops: (await stops.list()).map(shown) } }),
  };
}
