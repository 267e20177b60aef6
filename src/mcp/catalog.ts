import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { AgentSkill } from '../core/model/a2a.ts';
import type { AgentDescription } from '../core/model/agent.ts';
import { hopsMeta, maxHops } from '../core/model/call.ts';
import type { JsonObject } from '../core/model/json.ts';
import { jsonSchemaOf, messageArguments } from './arguments.ts';
import { type BuiltinTool, builtinNames, builtinTools } from './builtin-tools.ts';
import { callSkill, sendMessage, type ToolInvocation } from './calls.ts';
import type { ExposedAgent } from './exposed-agent.ts';
import { type ProxiedTool, proxiedToolsOf } from './proxied-tools.ts';
import { outcomeSchema } from './results.ts';
import { toolNames } from './tool-names.ts';

/** A tool and what it does. Rejects with an A2AError. */
export interface OfferedTool {
  readonly definition: Tool;
  readonly run: (given: JsonObject, calling: ToolInvocation) => Promise<CallToolResult>;
}

/** Whose tools are offered: those of many agents, which are told apart by their names, or those of one. */
export type Scope = 'many' | 'one';

/** A skill of an agent as a tool. */
interface SkillTool {
  readonly definition: Tool;
  readonly skill: string;
  /** Where the skill is a tool itself. */
  readonly tool: ProxiedTool | undefined;
}

/** Characters of a tool's description: what models are told of each tool costs them with every turn. */
const longestDescription = 4_000;

const messageSchema = jsonSchemaOf(messageArguments);
/** Cards that have not changed are not read again. */
const known = new WeakMap<AgentDescription, Map<string, readonly SkillTool[]>>();

/** Every tool, by name: the general ones first, then those of the agents in their order. */
export function offerTools(agents: readonly ExposedAgent[], scope: Scope): ReadonlyMap<string, OfferedTool> {
  const offered = new Map<string, OfferedTool>();
  if (agents.length === 0) return offered;
  const general: readonly BuiltinTool[] = builtinTools(agents, scope === 'many');
  for (const { definition, run } of general) {
    offered.set(definition.name, { definition, run: (given, calling) => run(agents, given, calling) });
  }
  for (const agent of agents) {
    for (const { definition, skill, tool } of skillTools(agent, scope)) {
      offered.set(definition.name, {
        definition,
        run: (given, calling) =>
          tool ? callSkill(agent, tool, given, calling) : sendMessage(agent, given, calling, skill),
      });
    }
  }
  return offered;
}

function skillTools(agent: ExposedAgent, scope: Scope): readonly SkillTool[] {
  const { card, name } = agent;
  const prefix = scope === 'many' ? `${name}__` : '';
  let byPrefix = known.get(card);
  if (!byPrefix) {
    byPrefix = new Map();
    known.set(card, byPrefix);
  }
  let tools = byPrefix.get(prefix);
  if (!tools) {
    tools = describeSkills(card, prefix);
    byPrefix.set(prefix, tools);
  }
  return tools;
}

function describeSkills(card: AgentDescription, prefix: string): readonly SkillTool[] {
  const tools = proxiedToolsOf(card);
  // What comes in a circle would come again and again.
  const skills = card.skills.filter(({ id }) => (tools.get(id)?.gateways ?? 0) <= maxHops);
  const names = toolNames(
    skills.map(({ id }) => prefix + id),
    builtinNames,
  );
  return skills.map((skill, index) => {
    const tool = tools.get(skill.id);
    const name = names[index] as string;
    return {
      definition: tool ? ownDefinition(name, skill, tool) : definitionOf(name, skill, card),
      skill: skill.id,
      tool,
    };
  });
}

const ownDefinition = (name: string, skill: AgentSkill, { inputSchema, annotations, gateways }: ProxiedTool): Tool => ({
  name,
  title: skill.name || skill.id,
  description: (skill.description || skill.name).slice(0, longestDescription),
  inputSchema: inputSchema as Tool['inputSchema'],
  ...(annotations && { annotations }),
  _meta: { [hopsMeta]: gateways },
});

function definitionOf(name: string, skill: AgentSkill, card: AgentDescription): Tool {
  const examples = skill.examples?.slice(0, 3).map((example) => JSON.stringify(example));
  const description = [
    `${skill.description || skill.name || skill.id} (a skill of the agent "${card.name}": say in words what is wanted)`,
    ...(examples?.length ? [`Examples: ${examples.join(', ')}`] : []),
  ].join('\n');
  return {
    name,
    title: skill.name || skill.id,
    description: description.slice(0, longestDescription),
    inputSchema: messageSchema as Tool['inputSchema'],
    outputSchema: outcomeSchema as NonNullable<Tool['outputSchema']>,
    annotations: { openWorldHint: true },
  };
}
