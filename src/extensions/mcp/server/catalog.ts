import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/server';
import type { AgentSkill } from '../../../core/model/a2a.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { hopsMeta, maxHops } from '../../../core/model/call.ts';
import { jsonSchemaOf, messageArguments } from './arguments.ts';
import { builtinNames, builtinTools, messageTool, type OfferedTool, proxyTool, sending } from './builtin-tools.ts';
import type { ExposedAgent } from './exposed-agent.ts';
import { type ProxiedTool, proxiedToolsOf } from './proxied-tools.ts';
import { outcomeSchema } from './results.ts';

/** Whether the tools belong to one agent, or to many, which calls must then name. */
export type Scope = 'many' | 'one';

/** The agents whose skills are offered, in order. */
export interface Offer {
  readonly scope: Scope;
  readonly agents: readonly ExposedAgent[];
}

interface SkillTool {
  /** Id of the skill. */
  readonly skill: string;
  readonly definition: Tool;
  readonly taskOnly?: boolean | undefined;
  readonly run: ReturnType<typeof messageTool>;
}

/** Maximum characters of a tool's description: models pay for them in every turn. */
const longestDescription = 4_000;

const messageSchema = jsonSchemaOf(messageArguments);
/** Tools of each card, by name prefix. Cards that have not changed are not read again. */
const known = new WeakMap<AgentDescription, Map<string, readonly SkillTool[]>>();

/** Returns all tools by name: the built-in tools, then those of the agents in order. */
export function offerTools(agents: readonly ExposedAgent[], scope: Scope): ReadonlyMap<string, OfferedTool> {
  const skills = agents.flatMap((agent) =>
    skillTools(agent, scope).flatMap(({ run, skill, ...tool }): OfferedTool[] =>
      (agent.permits?.(sending, skill) ?? true)
        ? [{ ...tool, run: (given, calling) => run(agent, given, calling) }]
        : [],
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
  // Omits tools that reach this gateway in a loop through other gateways, which would repeat without end.
  const skills = card.skills.filter(({ id }) => (tools.get(id)?.gateways ?? 0) <= maxHops);
  const names = toolNames(
    skills.map(({ id }) => prefix + id),
    builtinNames,
  );
  return skills.map((skill, index) => {
    const tool = tools.get(skill.id);
    const name = names[index] as string;
    const { id } = skill;
    if (tool)
      return {
        skill: id,
        definition: proxyDefinition(name, skill, tool),
        taskOnly: tool.taskOnly,
        run: proxyTool(tool),
      };
    return { skill: id, definition: definitionOf(name, skill, card), run: messageTool(id) };
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

/** Maximum characters of a tool's name that all clients and models accept. */
const longestName = 64;
/** Characters of the digest that distinguishes names. */
const digestLength = 8;

/**
 * Returns unique names for tools, of letters, digits, `_` and `-`, at most 64 characters. MCP (2025-11-25, tool names)
 * allows more, but the models behind many clients do not. A changed name that could be confused with another ends in a
 * digest of the original name, so that it does not depend on which other tools exist.
 *
 * @param originals original names of the tools
 * @param taken names that other tools already have
 */
export function toolNames(originals: readonly string[], taken: readonly string[]): string[] {
  const safe = originals.map((name) => name.replace(/[^\w-]+/g, '_'));
  const counts = new Map<string, number>();
  for (const name of [...taken, ...safe]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return safe.map((name, index) => {
    if (name !== '' && name.length <= longestName && counts.get(name) === 1) return name;
    const digest = createHash('sha256').update(`${originals[index]}`).digest('hex').slice(0, digestLength);
    return `${name.slice(0, longestName - digestLength - 1)}_${digest}`;
  });
}
