import { CallToolResultSchema, ContentBlockSchema, ToolAnnotationsSchema } from '@modelcontextprotocol/core';
import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Part, Task } from '../../../core/model/a2a.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { toolsExtension } from '../../../core/model/agent.ts';
import { defined, isObject, type JsonObject } from '../../../core/model/json.ts';
import { readToolResult } from '../tool-result.ts';

/** Skills that are themselves tools: those of agents of `kind: mcp`, whose cards describe the tools. */

/**
 * Clients refuse the whole list of tools if one schema is invalid, so an invalid schema is replaced with one that
 * allows any object.
 */
const inputSchema = z
  .looseObject({
    type: z.literal('object'),
    properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
    required: z.array(z.string()).optional(),
  })
  .catch({ type: 'object' });

const describedTool = z.object({
  skill: z.string(),
  server: z.string(),
  name: z.string(),
  inputSchema,
  annotations: ToolAnnotationsSchema.optional().catch(undefined),
  gateways: z.number().catch(0),
  taskOnly: z.boolean().optional().catch(undefined),
});

/** The tool behind a skill. `gateways` is the number of gateways through which it is offered, including this one. */
export type ProxiedTool = z.infer<typeof describedTool>;

/** Whether an agent calls tools, so that its tasks contain results of tools. */
export const callsTools = ({ capabilities }: AgentDescription): boolean =>
  capabilities.extensions?.some(({ uri }) => uri === toolsExtension) ?? false;

/** Returns the tools behind a card's skills, by skill id. */
export function proxiedToolsOf({ capabilities }: AgentDescription): ReadonlyMap<string, ProxiedTool> {
  const { params } = capabilities.extensions?.find(({ uri }) => uri === toolsExtension) ?? {};
  const tools = isObject(params) && Array.isArray(params.tools) ? (params.tools as unknown[]) : [];
  return new Map(
    tools.flatMap((given) => {
      const { data } = describedTool.safeParse(given);
      return data ? [[data.skill, { ...data, gateways: data.gateways + 1 }] as const] : [];
    }),
  );
}

const callType = 'application/json';

/** Returns the part that calls the tool (AgentVault's proxy pattern 1.0.0, section 3). */
export const callPart = ({ server, name }: ProxiedTool, given: JsonObject): Part => ({
  data: { target_mcp_server_id: server, tool_name: name, arguments: given },
  mediaType: callType,
});

/** Whether a task began with a call of a tool by its own name. The task must include its history. */
export function beganWithTool({ history = [] }: Task): boolean {
  const [part, ...others] = history[0]?.parts ?? [];
  return others.length === 0 && isObject(part?.data) && 'tool_name' in part.data && part.mediaType === callType;
}

type Output = NonNullable<Part['data']> & JsonObject;

/** Returns the data in which the agent reports the outcome of a tool call. */
function outputIn({ artifacts = [], status }: Task): Output | undefined {
  const parts = [...artifacts.flatMap((artifact) => artifact.parts), ...(status.message?.parts ?? [])];
  return parts
    .map(({ data }) => data)
    .find((data): data is Output => isObject(data) && typeof data.success === 'boolean');
}

/** Returns the JSON-RPC error with which the tool's server responded. */
export function protocolErrorIn(task: Task): { readonly code: number; readonly message: string } | undefined {
  const { error } = outputIn(task) ?? {};
  if (!isObject(error) || error.source !== 'MCP_PROTOCOL' || !/^-?\d{1,9}$/.test(String(error.code))) return undefined;
  return { code: Number(error.code), message: String(error.message) };
}

/** Returns the tool's own result or error in a task; undefined if there is neither. */
export function toolResultIn(task: Task): CallToolResult | undefined {
  const output = outputIn(task);
  if (!output) return undefined;
  if (output.success) return resultOf(output.mcp_result);
  const { source, code, message, details } = isObject(output.error) ? output.error : {};
  const content = isObject(details) ? details.mcp_tool_error_content : undefined;
  if (content !== undefined) return resultOf({ content, isError: true });
  return resultOf({ content: [{ type: 'text', text: `[${source}/${code}] ${message}` }], isError: true });
}

function resultOf(result: unknown): CallToolResult | undefined {
  if (!isObject(result)) return undefined;
  const read = CallToolResultSchema.safeParse(result);
  if (!read.success || !Array.isArray(result.content)) return readResult(result);
  // The server's `_meta` concerns the gateway's call, not this one.
  const { _meta, ...rest } = read.data;
  return rest;
}

/** Converts a result that does not conform to MCP: members that clients would refuse are omitted or become text. */
function readResult(result: JsonObject): CallToolResult {
  const { items, structured, isError } = readToolResult(result);
  return {
    content: items.map(({ item, part }) => blockOf(item, part)),
    ...(isObject(structured) && { structuredContent: structured }),
    ...(isError && { isError }),
  };
}

function blockOf(item: unknown, part: Part): CallToolResult['content'][number] {
  const given = isObject(item) ? Object.entries(item).filter(([, value]) => value !== null) : [];
  const { annotations, _meta: _, ...plain } = Object.fromEntries(given);
  for (const tried of [defined({ ...plain, annotations }), plain]) {
    const read = ContentBlockSchema.safeParse(tried);
    if (read.success) return read.data;
  }
  return { type: 'text', text: part.text ?? JSON.stringify(item) };
}
