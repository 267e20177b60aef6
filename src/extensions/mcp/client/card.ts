import type { AgentExtension, AgentSkill } from '../../../core/model/a2a.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { type DescribedTool, type ToolsParams, toolsExtension } from '../../../core/model/agent.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { skillIdOf } from '../../../core/model/tool-choice.ts';
import { shortened } from './failures.ts';
import { allowedTools, type NamedServer } from './route.ts';
import type { Tool } from './tool-server.ts';

/** Maximum characters of one schema in a card. */
const maxSchemaLength = 64 * 1024;
/** Maximum characters of all schemas in a card. */
const maxSchemasLength = 1024 * 1024;

/** Returns the skill of a tool. Messages name the tool by the skill's id. */
function agentSkill(server: string, { name, title, description }: Tool): AgentSkill {
  return {
    id: skillIdOf(server, name),
    name: title ?? name,
    description: shortened(description ?? `The tool ${name} of ${server}`, 4_000),
    tags: ['tool', 'mcp', server],
    inputModes: ['application/json'],
  };
}

/** Returns the extension that lists the tools with their schemas, as far as the limits allow. */
function extensionOf(tools: readonly (readonly [server: string, tool: Tool])[]): AgentExtension {
  let room = maxSchemasLength;
  const fits = (schema: JsonObject | undefined): schema is JsonObject => {
    if (schema === undefined) return false;
    const { length } = JSON.stringify(schema);
    if (length > maxSchemaLength || length > room) return false;
    room -= length;
    return true;
  };
  const list = tools.map(
    ([server, { name, inputSchema, outputSchema, annotations, taskOnly, gateways }]): DescribedTool => {
      return {
        skill: skillIdOf(server, name),
        server,
        name,
        ...(fits(inputSchema) && { inputSchema }),
        ...(fits(outputSchema) && { outputSchema }),
        ...(fits(annotations) && { annotations }),
        ...(taskOnly && { taskOnly }),
        ...(gateways !== undefined && { gateways }),
      };
    },
  );
  return {
    uri: toolsExtension,
    description: 'JSON Schemas of the arguments and results of the tools behind the skills.',
    params: { tools: list } satisfies ToolsParams,
  };
}

export function describeTools(name: string, servers: readonly NamedServer[]): AgentDescription {
  const tools = servers.flatMap((entry) =>
    (allowedTools(entry, servers) ?? []).map((tool) => [entry.id, tool] as const),
  );
  const description =
    `Calls tools of ${servers.map(({ id }) => id).join(', ')}. Send one data part: ` +
    '{"target_mcp_server_id": SERVER, "tool_name": TOOL, "arguments": {…}}; ' +
    'the answer is a data part {"success", "mcp_result", "error"}.';
  // A card requires a skill even if no server has listed its tools yet.
  const any: AgentSkill = { id: 'call-tool', name: 'Call a tool', description, tags: ['tool', 'mcp'] };
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
    defaultOutputModes: ['application/json', 'text/plain'],
    skills: tools.length > 0 ? tools.map(([server, tool]) => agentSkill(server, tool)) : [any],
  };
}
