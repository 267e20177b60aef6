import type { AgentContext } from '../../../core/model/agent.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { isInterrupted, stateWord } from '../../../core/model/lifecycle.ts';
import { partsOf, readToolResult } from '../tool-result.ts';
import { shortened, ToolFailure } from './failures.ts';
import { isSafeJson } from './tool-server.ts';

// A tool server may request a completion from a language model (MCP sampling). An agent of the gateway produces it, if
// the configuration names one.

export const samplingMethod = 'sampling/createMessage';

/** Maximum characters of a request, and of an answer. */
const maxLength = 1024 * 1024;
/** Maximum number of sampling requests in one turn of a task. */
const maxSamples = 20;

/**
 * Metadata key of the message to the agent for the remaining parameters of the request, such as model preferences. The
 * gateway does not enforce them.
 */
const wishesKey = 'a2a-gateway/sampling';

const refused = (text: string): ToolFailure => new ToolFailure('invalidResult', text);

/** Creates a function that answers the sampling requests of one turn. */
export function createSampling(
  agent: string,
  context: Pick<AgentContext, 'agent'>,
): (params: JsonObject, signal: AbortSignal) => Promise<JsonObject> {
  let count = 0;
  return async (params, signal) => {
    count += 1;
    if (count > maxSamples) throw refused(`The tool has sent more than ${maxSamples} sampling requests`);
    const called = context.agent(agent);
    const { task, state, text } = await called.send(messageOf(params), { signal }).catch((thrown: unknown) => {
      const { kind, message } = A2AError.from(thrown);
      // The names of other agents are not disclosed to the server.
      const why = kind === 'agentNotFound' ? 'the caller may not call it, or there is none' : message;
      throw refused(`The agent ${agent} gave no answer: ${shortened(why)}`);
    });
    if (state !== undefined && state !== 'TASK_STATE_COMPLETED') {
      // The agent's question cannot be answered here.
      if (isInterrupted(state) && task) await called.cancel(task.id).catch(() => undefined);
      throw refused(`The agent ${agent} gave no answer: its task is ${stateWord(state)}`);
    }
    if (text.length > maxLength) throw refused(`The answer of the agent ${agent} exceeds ${maxLength} characters`);
    return { role: 'assistant', content: { type: 'text', text }, model: agent, stopReason: 'endTurn' };
  };
}

/**
 * Creates the message for the agent: the system prompt and the messages, each labelled with its role if there are
 * several.
 */
function messageOf({ messages, systemPrompt, tools, toolChoice, _meta, includeContext: _, ...wishes }: JsonObject) {
  if (tools !== undefined || toolChoice !== undefined)
    throw refused('The gateway does not support sampling with tools');
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  if (list.length === 0) throw refused('The sampling request has no messages');
  if (!isSafeJson({ list, wishes }) || JSON.stringify([list, systemPrompt, wishes]).length > maxLength)
    throw refused(`A sampling request exceeds ${maxLength} characters, is nested too deeply, or has a key __proto__`);
  const parts = list.flatMap(({ role, content }) => {
    const said = partsOf(readToolResult({ content: [content].flat() }));
    return list.length > 1 ? [{ text: role === 'assistant' ? 'Assistant:' : 'User:' }, ...said] : said;
  });
  const prompt = typeof systemPrompt === 'string' && systemPrompt !== '' ? [{ text: systemPrompt }] : [];
  return { parts: [...prompt, ...parts], metadata: { [wishesKey]: wishes } };
}
