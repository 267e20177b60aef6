import type { AgentContext } from '../../../core/model/agent.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { isInterrupted, stateWord } from '../../../core/model/lifecycle.ts';
import { partsOf, readToolResult } from '../tool-result.ts';
import { shortened, ToolFailure } from './failures.ts';
import { isSafeJson } from './tool-server.ts';

// A tool server may request the answer of a language model (MCP's sampling). An agent of the gateway gives it, where the
// configuration names one.

export const samplingMethod = 'sampling/createMessage';

/** Characters of a request, and of an answer. */
const maxLength = 1024 * 1024;
/** Requests in one turn of a task. */
const maxSamples = 20;

/** Metadata of the message to the agent: what the server wants besides an answer. The gateway does not enforce it. */
const wishesKey = 'a2a-gateway/sampling';

const refused = (text: string): ToolFailure => new ToolFailure('invalidResult', text);

/** Answers the requests of one turn. */
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
      // The server learns no names of other agents.
      const why = kind === 'agentNotFound' ? 'the caller may not call it, or there is none' : message;
      throw refused(`The agent ${agent} gave no answer: ${shortened(why)}`);
    });
    if (state !== undefined && state !== 'TASK_STATE_COMPLETED') {
      // Its question cannot be answered here.
      if (isInterrupted(state) && task) await called.cancel(task.id).catch(() => undefined);
      throw refused(`The agent ${agent} gave no answer: its task is ${stateWord(state)}`);
    }
    if (text.length > maxLength) throw refused(`The answer of the agent ${agent} exceeds ${maxLength} characters`);
    return { role: 'assistant', content: { type: 'text', text }, model: agent, stopReason: 'endTurn' };
  };
}

/** The message for the agent: the system prompt, and the messages, each with its role where there are several. */
function messageOf({ messages, systemPrompt, tools, toolChoice, _meta, includeContext: _, ...wishes }: JsonObject) {
  if (tools !== undefined || toolChoice !== undefined)
    throw refused('The gateway does not support sampling with tools');
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  if (list.length === 0) throw refused('The sampling request has no messages');
  if (!isSafeJson({ list, wishes }) || JSON.stringify([list, systemPrompt, wishes]).length > maxLength)
    throw refused(
      `A request for sampling exceeds ${maxLength} characters, is nested too deeply, or has a key __proto__`,
    );
  const parts = list.flatMap(({ role, content }) => {
    const said = partsOf(readToolResult({ content: [content].flat() }));
    return list.length > 1 ? [{ text: role === 'assistant' ? 'Assistant:' : 'User:' }, ...said] : said;
  });
  const prompt = typeof systemPrompt === 'string' && systemPrompt !== '' ? [{ text: systemPrompt }] : [];
  return { parts: [...prompt, ...parts], metadata: { [wishesKey]: wishes } };
}
