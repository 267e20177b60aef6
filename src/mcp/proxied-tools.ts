import { type CallToolResult, CallToolResultSchema, ToolAnnotationsSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Part, Task } from '../core/model/a2a.ts';
import type { AgentDescription } from '../core/model/agent.ts';
import { toolsExtension } from '../core/model/agent.ts';
import { isObject, type JsonObject } from '../core/model/json.ts';
import type { ObjectSchema } from './arguments.ts';

/** Skills that are tools themselves: those of agents of `kind: mcp`, whose cards say what each tool takes. */

/** A tool that a skill stands for. */
export interface ProxiedTool {
  readonly server: string;
  readonly name: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations?: object;
  /** How many gateways it comes through, this one too. */
  readonly gateways: number;
}

/** What takes whatever it is given; the agent checks it all the same. */
const anything: ObjectSchema = { type: 'object' };

/** Clients refuse the whole list of tools for one schema that is not as MCP has it: such a one is left out. */
function inputSchemaOf(schema: unknown): ObjectSchema {
  if (!isObject(schema) || schema.type !== 'object') return anything;
  const { properties, required } = schema;
  if (properties !== undefined && !(isObject(properties) && Object.values(properties).every(isObject))) return anything;
  if (required !== undefined && !(Array.isArray(required) && required.every((one) => typeof one === 'string'))) {
    return anything;
  }
  return schema as ObjectSchema;
}

/** Whether an agent calls tools, so that its tasks hold their results. */
export const callsTools = ({ capabilities }: AgentDescription): boolean =>
  capabilities.extensions?.some(({ uri }) => uri === toolsExtension) ?? false;

/** The tools that a card's skills stand for, by the skills' ids. */
export function proxiedToolsOf({ capabilities }: AgentDescription): ReadonlyMap<string, ProxiedTool> {
  const found = new Map<string, ProxiedTool>();
  const { params } = capabilities.extensions?.find(({ uri }) => uri === toolsExtension) ?? {};
  const tools = isObject(params) && Array.isArray(params.tools) ? (params.tools as unknown[]) : [];
  for (const tool of tools) {
    if (!isObject(tool)) continue;
    const { skill, server, name, inputSchema, annotations, gateways } = tool;
    if (typeof skill !== 'string' || typeof server !== 'string' || typeof name !== 'string') continue;
    const read = ToolAnnotationsSchema.safeParse(annotations);
    found.set(skill, {
      server,
      name,
      inputSchema: inputSchemaOf(inputSchema),
      gateways: (typeof gateways === 'number' ? gateways : 0) + 1,
      ...(annotations !== undefined && read.success && { annotations: read.data }),
    });
  }
  return found;
}

/** The part that calls the tool (AgentVault's proxy pattern 1.0.0, section 3). */
export const callPart = ({ server, name }: ProxiedTool, given: JsonObject): Part => ({
  data: { target_mcp_server_id: server, tool_name: name, arguments: given },
  mediaType: 'application/json',
});

/** The tool's own result, or why there is none, where a task holds it; undefined where it does not. */
export function toolResultIn({ artifacts = [], status }: Task): CallToolResult | undefined {
  const parts = [...artifacts.flatMap((artifact) => artifact.parts), ...(status.message?.parts ?? [])];
  for (const { data } of parts) {
    if (!isObject(data) || typeof data.success !== 'boolean') continue;
    if (data.success) return resultOf(data.mcp_result);
    const { source, code, message, details } = isObject(data.error) ? data.error : {};
    const said = isObject(details) ? details.mcp_tool_error_content : undefined;
    if (said !== undefined) return resultOf({ content: said, isError: true });
    return resultOf({ content: [{ type: 'text', text: `[${source}/${code}] ${message}` }], isError: true });
  }
  return undefined;
}

function resultOf(result: unknown): CallToolResult | undefined {
  const read = CallToolResultSchema.safeParse(result);
  if (!read.success) return undefined;
  // What the server said about the call that the gateway made is not about this one.
  const { _meta, ...rest } = read.data;
  return rest;
}
