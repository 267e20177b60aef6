import type { Message } from './a2a.ts';
import { isObject, type JsonObject } from './json.ts';

/** A request for a tool call: the content of AgentVault's data part (proxy pattern 1.0.0, section 3). */
export interface ToolRequest {
  /** `target_mcp_server_id`; undefined: the tool's name determines the server. */
  readonly server: string | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Reason why a message cannot call a tool. `index`: of its data part; undefined: it has none. */
export interface ToolRequestFault {
  readonly index: number | undefined;
  readonly member?: 'tool_name' | 'target_mcp_server_id' | 'arguments';
}

/** Reads a tool call from the first data part of a message. */
export function readToolRequest({ parts }: Pick<Message, 'parts'>): ToolRequest | ToolRequestFault {
  const index = parts.findIndex((part) => part.data !== undefined);
  if (index < 0) return { index: undefined };
  const { data } = parts[index] ?? {};
  if (!isObject(data)) return { index };
  const { target_mcp_server_id: server, tool_name: tool, arguments: given } = data;
  if (typeof tool !== 'string' || tool === '') return { index, member: 'tool_name' };
  if (server !== undefined && server !== null && (typeof server !== 'string' || server === ''))
    return { index, member: 'target_mcp_server_id' };
  if (given !== undefined && given !== null && !isObject(given)) return { index, member: 'arguments' };
  return { server: server ?? undefined, tool, arguments: isObject(given) ? given : {} };
}

export const isToolRequest = (read: ToolRequest | ToolRequestFault): read is ToolRequest => 'tool' in read;

/** A server of tools, as far as choosing a tool needs it. */
export interface ToolOffer<T extends { readonly name: string } = { readonly name: string }> {
  readonly id: string;
  /** The tools that may be called. Undefined: the server cannot list them. */
  readonly tools: readonly T[] | undefined;
}

/** Strips the server's id from a tool's name: `filesystem.readFile` is `readFile` of the server `filesystem`. */
export const withoutPrefix = (name: string, id: string): string =>
  name.startsWith(`${id}.`) && name.length > id.length + 1 ? name.slice(id.length + 1) : name;

/** Makes `readFile`, `read_file` and `read-file` equal. */
const normalized = (name: string): string => name.toLowerCase().replaceAll(/[_.\s-]/g, '');

/** Finds a tool by the given name, without the server's prefix, or in another spelling if only one tool matches. */
export function findTool<T extends { readonly name: string }>(
  tools: readonly T[],
  given: string,
  id: string,
): T | undefined {
  const unprefixed = withoutPrefix(given, id);
  const exact = tools.find(({ name }) => name === given) ?? tools.find(({ name }) => name === unprefixed);
  if (exact) return exact;
  const wanted = normalized(unprefixed);
  const similar = tools.filter(({ name }) => normalized(name) === wanted);
  return similar.length === 1 ? similar[0] : undefined;
}

/**
 * Returns the server of a request: the one that it names, else the one whose id is the prefix of the tool's name, else
 * the only one that has such a tool, else the only one. `unknown`: the request names another; `several`: the choice is
 * ambiguous.
 */
export function chooseServer<S extends ToolOffer>(
  { server, tool }: Pick<ToolRequest, 'server' | 'tool'>,
  servers: readonly S[],
): S | 'unknown' | 'several' {
  if (server !== undefined) return servers.find(({ id }) => id === server) ?? 'unknown';
  const prefixed = servers.filter(({ id }) => tool.startsWith(`${id}.`));
  const [longest] = prefixed.toSorted((a, b) => b.id.length - a.id.length);
  if (longest) return longest;
  const owners = servers.filter(({ tools, id }) => findTool(tools ?? [], tool, id) !== undefined);
  const [only, ...others] = owners.length === 1 ? owners : servers;
  return only && others.length === 0 ? only : 'several';
}

/** Returns the id of the skill for a tool that its server has listed. */
export const skillIdOf = (server: string, tool: string): string => `${server}.${tool}`;

/**
 * Returns the skill that a request names if no listed tool was found for it: as written, with the server before the
 * name.
 */
export const writtenSkill = ({ server, tool }: Pick<ToolRequest, 'server' | 'tool'>): string =>
  server === undefined ? tool : skillIdOf(server, withoutPrefix(tool, server));

/** Returns the skill that a request calls, among the tools that servers offer. */
export function chosenSkill(request: Pick<ToolRequest, 'server' | 'tool'>, servers: readonly ToolOffer[]): string {
  const chosen = chooseServer(request, servers);
  if (typeof chosen === 'string') return writtenSkill(request);
  const { id, tools } = chosen;
  const { tool } = request;
  const found = findTool(tools ?? [], tool, id);
  return found ? skillIdOf(id, found.name) : writtenSkill({ server: id, tool });
}
