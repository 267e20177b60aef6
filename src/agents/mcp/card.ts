import type { AgentExtension, AgentSkill } from '../../core/model/a2a.ts';
import type { AgentDescription } from '../../core/model/agent.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { type DescribedTool, type ToolsParams, toolsExtension } from '../../core/model/tools-extension.ts';
import { shortened } from './failures.ts';
import { allowedTools, type NamedServer } from './route.ts';
import type { Tool } from './tool-server.ts';

/** Characters of a schema that a card has room for. */
const longestSchema = 64 * 1024;
/** Characters of all schemas of a card together. */
const roomForSchemas = 1024 * 1024;

const modes = ['application/json', 'text/plain'];

/** One skill for each tool, so that its id is what a message calls it by. */
function skillOf(server: string, { name, title, description }: Tool): AgentSkill {
  return {
    id: `${server}.${name}`,
    name: title ?? name,
    description: shortened(description ?? `The tool ${name} of ${server}`, 4_000),
    tags: ['tool', 'mcp', server],
    inputModes: ['application/json'],
  };
}

/** What a card says of the arguments and results of its tools, as far as there is room for it. */
function extensionOf(tools: readonly (readonly [server: string, tool: Tool])[]): AgentExtension {
  let room = roomForSchemas;
  const fits = (schema: JsonObject | undefined): schema is JsonObject => {
    if (schema === undefined) return false;
    const { length } = JSON.stringify(schema);
    if (length > longestSchema || length > room) return false;
    room -= length;
    return true;
  };
  const list = tools.map(([server, tool]): DescribedTool => {
    const { name, inputSchema, outputSchema, annotations, gateways } = tool;
    return {
      skill: `${server}.${name}`,
      server,
      name,
      ...(fits(inputSchema) && { inputSchema }),
      ...(fits(outputSchema) && { outputSchema }),
      ...(fits(annotations) && { annotations }),
      ...(gateways !== undefined && { gateways }),
    };
  });
  const params: ToolsParams = { tools: list };
  return {
    uri: toolsExtension,
    description: 'The arguments and results of the tools that the skills stand for, as JSON Schema.',
    params: { ...params },
  };
}

/** Describes an agent by the tools that its servers offer at the moment. */
export function describeTools(name: string, servers: ReadonlyMap<string, NamedServer>): AgentDescription {
  const tools = [...servers.values()].flatMap((entry) =>
    (allowedTools(entry) ?? []).map((tool) => [entry.id, tool] as const),
  );
  const ids = [...servers.keys()].join(', ');
  const description =
    `Calls tools of ${ids}. Send one data part: {"target_mcp_server_id": SERVER, "tool_name": TOOL, ` +
    '"arguments": {…}}; the answer is a data part {"success", "mcp_result", "error"}.';
  // A card has at least one skill, also while no server has told what it can.
  const any: AgentSkill = { id: 'call-tool', name: 'Call a tool', description, tags: ['tool', 'mcp'] };
  const skills = tools.map(([server, tool]) => skillOf(server, tool));
  return {
    name,
    description,
    version: '1.0.0',
    capabilities: {
      streaming: true,
      pushNotifications: true,
      ...(tools.length > 0 && { extensions: [extensionOf(tools)] }),
    },
    defaultInputModes: ['application/json'],
    defaultOutputModes: modes,
    skills: skills.length > 0 ? skills : [any],
  };
}
