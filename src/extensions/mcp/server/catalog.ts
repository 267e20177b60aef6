import type { Tool } from '@modelcontextprotocol/server';
import type { AgentSkill } from '../../../core/model/a2a.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { hopsMeta, maxHops } from '../../../core/model/call.ts';
import { jsonSchemaOf, messageArguments } from './arguments.ts';
import { type BuiltinTool, builtinNames, builtinTools, messageTool, proxyTool } from './builtin-tools.ts';
import type { ExposedAgent } from './exposed-agent.ts';
import { type ProxiedTool, proxiedToolsOf } from './proxied-tools.ts';
import { outcomeSchema } from './results.ts';
import { toolNames } from './tool-names.ts';

/** Whose tools are offered: those of many agents, which calls name, or those of one. */
export type Scope = 'many' | 'one';

/** A skill of an agent as a tool. */
interface SkillTool {
  readonly definition: Tool;
  readonly run: ReturnType<typeof messageTool>;
}

/** Characters of a tool's description: models pay for each of them with every turn. */
const longestDescription = 4_000;

const messageSchema = jsonSchemaOf(messageArguments);
/** The tools of each card, by the prefix of their names: cards that have not changed are not read again. */
const known = new WeakMap<AgentDescription, Map<string, readonly SkillTool[]>>();

/** Every tool, by name: the built-in ones first, then those of the agents in their order. */
export function offerTools(agents: readonly ExposedAgent[], scope: Scope): ReadonlyMap<string, BuiltinTool> {
  const skills = agents.flatMap((agent) =>
    skillTools(agent, scope).map(
      ({ definition, run }): BuiltinTool => ({ definition, run: (given, calling) => run(agent, given, calling) }),
    ),
  );
  const offered = [...builtinTools(agents, scope === 'many'), ...skills];
  return new Map(offered.map((tool) => [tool.definition.name, tool]));
}

function skillTools({ card, name }: ExposedAgent, scope: Scope): readonly SkillTool[] {
  const prefix = scope === 'many' ? `${name}__` : '';
  const byPrefix = known.get(card) ?? new Map<string, readonly SkillTool[]>();
  known.set(card, byPrefix);
  const tools = byPrefix.get(prefix) ?? describeSkills(card, prefix);
  byPrefix.set(prefix, tools);
  return tools;
}

function describeSkills(card: AgentDescription, prefix: string): readonly SkillTool[] {
  const tools = proxiedToolsOf(card);
  // Tools that come in a circle through several gateways would come again and again.
  const skills = card.skills.filter(({ id }) => (tools.get(id)?.gateways ?? 0) <= maxHops);
  const names = toolNames(
    skills.map(({ id }) => prefix + id),
    builtinNames,
  );
  return skills.map((skill, index) => {
    const tool = tools.get(skill.id);
    const name = names[index] as string;
    if (tool) return { definition: proxyDefinition(name, skill, tool), run: proxyTool(tool) };
    return { definition: definitionOf(name, skill, card), run: messageTool(skill.id) };
  });
}

const proxyDefinition = (
  name: string,
  skill: AgentSkill,
  { inputSchema, annotations, gateways }: ProxiedTool,
): Tool => ({
  name,
  title: skill.name || skill.id,
  description: (skill.description || skill.name).slice(0, longestDescription),
  inputSchema: inputSchema as Tool['inputSchema'],
  ...(annotations && { annotations }),
  _meta: { [hopsMeta]: gateways },
});

function definitionOf(name: string, skill: AgentSkill, card: AgentDescription): Tool {
  const examples = skill.examples?.slice(0, 3).map((example) => JSON.stringify(example));
  const what = `${skill.description || skill.name || skill.id} (a skill of the agent "${card.name}": describe in words what to do)`;
  const description = examples?.length ? `${what}\nExamples: ${examples.join(', ')}` : what;
  return {
    name,
    title: skill.name || skill.id,
    description: description.slice(0, longestDescription),
    inputSchema: messageSchema as Tool['inputSchema'],
    outputSchema: outcomeSchema as NonNullable<Tool['outputSchema']>,
    annotations: { openWorldHint: true },
  };
}
