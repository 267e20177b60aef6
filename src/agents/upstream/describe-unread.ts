import type { AgentDescription } from '../../core/model/agent.ts';

/** Data of an agent that the gateway keeps: its tasks, or nothing. */
export type Keep = 'tasks' | 'none';

/**
 * The description of an agent whose card could not be read yet. The reason is in the log and not shown to callers.
 *
 * @param hasNone whether the agent is known to have no card
 * @param keep whether the gateway keeps the agent's tasks
 */
export function describeUnread(name: string, hasNone: boolean, keep: Keep): AgentDescription {
  const text = ['text/plain'];
  const description = hasNone
    ? 'An upstream agent without a card'
    : 'An upstream agent whose card has not been read yet';
  return {
    name,
    description,
    version: '0.0.0',
    // The agent may stream. A stream of an agent that does not ends with the agent's error.
    capabilities: { streaming: true, pushNotifications: keep === 'tasks' },
    defaultInputModes: text,
    defaultOutputModes: text,
    skills: [{ id: 'default', name, description, tags: ['upstream'] }],
  };
}
