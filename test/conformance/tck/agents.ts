import { fileURLToPath } from 'node:url';
import conformanceAgent from '../../../examples/conformance-agent.ts';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import type { Agent, AgentContext } from '../../../src/core/model/agent.ts';
import type { Script } from '../../support/agent-script.ts';
import agent03 from './agent-0.3.ts';
import type { Kit } from './kit.ts';

/** The agents that the kits talk to, as modules of a gateway and as scripts of agents behind the official SDKs. */

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const modules: Readonly<Record<Kit['generation'], string>> = {
  '1.0': pathOf('../../../examples/conformance-agent.ts'),
  '0.3': pathOf('agent-0.3.ts'),
};

export const scripts: Readonly<Record<Kit['generation'], Script>> = {
  '1.0': scriptOf(conformanceAgent),
  '0.3': scriptOf(agent03),
};

/** Runs an agent of this project behind a server of an SDK, which wants every event with its ids and a task first. */
function scriptOf(agent: Agent): Script {
  return async ({ taskId, contextId, message, before }, tell, waits) => {
    const stop = new AbortController();
    const stopped = waits.wait(taskId).then((how) => {
      if (how === 'stopped') stop.abort();
    });
    const context = { taskId, contextId, signal: stop.signal } as AgentContext;
    const ids = { taskId, contextId };
    let isOpen = before !== undefined;
    try {
      for await (const event of agent.execute({ message }, context)) {
        if (event.message === undefined && !isOpen) {
          const status = { state: 'TASK_STATE_SUBMITTED' as const, timestamp: now() };
          const task: Task = { id: taskId, contextId, status, history: [message] };
          tell({ task });
        }
        isOpen = true;
        tell(withIds(event, ids));
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      await stopped;
      tell(withIds({ statusUpdate: { ...ids, status: { state: 'TASK_STATE_CANCELED' } } }, ids));
    }
  };
}

function withIds(event: StreamResponse, ids: { taskId: string; contextId: string }): StreamResponse {
  const { message, statusUpdate, artifactUpdate } = event;
  if (message) return { message: { ...message, contextId: ids.contextId } };
  if (artifactUpdate) return { artifactUpdate: { ...artifactUpdate, ...ids } };
  if (!statusUpdate) return event;
  const { status } = statusUpdate;
  const said = status.message && { message: { ...status.message, ...ids } };
  return { statusUpdate: { ...statusUpdate, ...ids, status: { ...status, timestamp: now(), ...said } } };
}

const now = (): string => new Date().toISOString();
