import type { Message } from './a2a.ts';
import { type Agent, type AgentDescription, type ToolsParams, toolsExtension } from './agent.ts';
import type { Call } from './call.ts';
import { A2AError } from './errors.ts';
import { isObject, type JsonObject } from './json.ts';
import { chosenSkill, isToolRequest, readToolRequest, type ToolOffer } from './tool-choice.ts';

/**
 * Returns the id of the skill that a call is about, for which it is authorized; undefined if it names none. An agent that chooses
 * the skill by the message returns it. Otherwise it is the tool in the first data part, which takes precedence over the metadata,
 * as in agents that call tools; else the `skillId` in the metadata of the message or of the request.
 *
 * It is computed once for each call, and written into the call's notes for the agent.
 *
 * @throws A2AError `invalidParams` for a message and a request that name different skills
 */
export function calledSkill(
  { request, context }: Call,
  agent: Pick<Agent, 'card' | 'skillOf'> | undefined,
): string | undefined | Promise<string | undefined> {
  const { notes } = context;
  if (notes.skill !== undefined) return notes.skill;
  const { message, metadata } = request as { readonly message?: Message; readonly metadata?: JsonObject };
  if (!message) return undefined;
  const note = (skill: string | undefined): string | undefined => {
    const found = skill ?? skillIn(message.metadata, metadata);
    if (found !== undefined) notes.skill = found;
    return found;
  };
  const chosen = agent?.skillOf ? agent.skillOf(message, context) : toolIn(message, agent?.card);
  return chosen instanceof Promise ? chosen.then(note) : note(chosen);
}

function skillIn(ofMessage: unknown, ofRequest: unknown): string | undefined {
  const [first, second] = [ofMessage, ofRequest].flatMap((metadata) => {
    const skill = isObject(metadata) ? metadata.skillId : undefined;
    return typeof skill === 'string' ? [skill] : [];
  });
  if (second === undefined || first === second) return first;
  const description = 'names another skill than the metadata of the message';
  throw A2AError.invalidParams(undefined, [{ field: 'metadata.skillId', description }]);
}

function toolIn(message: Message, card: AgentDescription | undefined): string | undefined {
  const request = readToolRequest(message);
  return isToolRequest(request) ? chosenSkill(request, offersIn(card)) : undefined;
}

/** Returns the servers in an agent's card, with their tools. */
function offersIn(card: AgentDescription | undefined): readonly ToolOffer[] {
  const { params } = card?.capabilities.extensions?.find(({ uri }) => uri === toolsExtension) ?? {};
  const listed: unknown = (params as ToolsParams | undefined)?.tools;
  const tools = (Array.isArray(listed) ? listed : []).filter(
    (tool): tool is ToolsParams['tools'][number] =>
      isObject(tool) && typeof tool.server === 'string' && typeof tool.name === 'string',
  );
  return [...Map.groupBy(tools, ({ server }) => server)].map(([id, own]) => ({ id, tools: own }));
}
