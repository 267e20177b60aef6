import type { Message } from '../../../core/model/a2a.ts';
import type { AskGateway } from '../../../core/model/agent.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import type { ToolServerSettings } from '../../../net/tool-server-settings.ts';
import { ToolFailure } from './failures.ts';
import type { Tool, ToolCallContext, ToolServer } from './tool-server.ts';

/** A server and its id in the configuration. */
export interface NamedServer
  extends Pick<ToolServerSettings, 'roots' | 'sampling' | 'timeout' | 'answerTimeout' | 'taskTimeout'> {
  readonly id: string;
  readonly server: ToolServer;
  readonly allowed: ToolFilter;
  /** The gateway that the server is, which gets the path of the tree. Undefined: it is none. */
  readonly gateway?: AskGateway | undefined;
}

/** The server and tool of a call. */
export interface ToolTarget {
  readonly to: NamedServer;
  /** The tool's name at the server. */
  readonly name: string;
  /** Undefined if the server cannot list its tools. */
  readonly tool: Tool | undefined;
}

/** Names that an error message lists at most. */
const maxNames = 20;

const nameList = (names: readonly string[]): string =>
  names.length > maxNames
    ? `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more`
    : names.join(', ');

/** The name without the server's id as a prefix: `filesystem.readFile` is `readFile` of the server `filesystem`. */
const withoutPrefix = (name: string, id: string): string =>
  name.startsWith(`${id}.`) && name.length > id.length + 1 ? name.slice(id.length + 1) : name;

/** Makes `readFile`, `read_file` and `read-file` equal. */
const normalized = (name: string): string => name.toLowerCase().replaceAll(/[_.\s-]/g, '');

/** Finds a tool by the given name, without the server's prefix, or in another spelling if only one tool matches. */
function findTool(tools: readonly Tool[], given: string, id: string): Tool | undefined {
  const unprefixed = withoutPrefix(given, id);
  const exact = tools.find(({ name }) => name === given) ?? tools.find(({ name }) => name === unprefixed);
  if (exact) return exact;
  const similar = tools.filter(({ name }) => normalized(name) === normalized(unprefixed));
  return similar.length === 1 ? similar[0] : undefined;
}

/** The tools of a server that may be called; undefined if the server cannot list its tools. */
export const allowedTools = ({ server, allowed }: NamedServer): readonly Tool[] | undefined =>
  server.tools?.filter(({ name }) => allowed(name));

/**
 * The server of a request: the one that it names, else the one whose id is the prefix of the tool's name, else the only
 * one that has such a tool, else the only one.
 */
function chooseServer({ server, tool }: ToolRequest, servers: readonly NamedServer[]): NamedServer {
  const ids = nameList(servers.map(({ id }) => id));
  if (server !== undefined) {
    const chosen = servers.find(({ id }) => id === server);
    if (chosen) return chosen;
    throw new ToolFailure('unknownServer', `There is no server "${server}"; the servers are ${ids}`);
  }
  const prefixed = servers.filter(({ id }) => tool.startsWith(`${id}.`));
  const [longest] = prefixed.toSorted((a, b) => b.id.length - a.id.length);
  if (longest) return longest;
  const owners = servers.filter((entry) => findTool(allowedTools(entry) ?? [], tool, entry.id) !== undefined);
  const [only, ...others] = owners.length === 1 ? owners : servers;
  if (only && others.length === 0) return only;
  const why = `Several servers may have a tool "${tool}"; set target_mcp_server_id to one of ${ids}`;
  throw new ToolFailure('noServer', why);
}

/**
 * Finds the server and tool of a request. Rejects with a ToolFailure when there is none (`unknownServer`, `noServer`,
 * `unknownTool`), when the tool is `denied`, or when the server fails to list its tools.
 */
export async function route(
  request: ToolRequest,
  servers: readonly NamedServer[],
  signal: AbortSignal,
  context: ToolCallContext,
): Promise<ToolTarget> {
  const to = chooseServer(request, servers);
  const { id, server, allowed } = to;
  const given = request.tool;
  const tools = await server.list(signal, context, (list) => findTool(list, given, id) !== undefined);
  const tool = findTool(tools ?? server.tools ?? [], given, id);
  const names = tools && tool ? [tool.name] : [given, withoutPrefix(given, id)];
  // Whether a denied tool exists is not revealed.
  if (!allowed(...names))
    throw new ToolFailure('denied', `The tool "${given}" of "${id}" is not allowed by the configuration`);
  if (tools === undefined) return { to, name: given, tool };
  if (tool) return { to, name: tool.name, tool };
  const known = nameList((allowedTools(to) ?? []).map(({ name }) => name));
  throw new ToolFailure('unknownTool', `"${id}" has no tool "${given}"; it has ${known || 'none'}`);
}

export type ToolFilter = (...names: readonly string[]) => boolean;

/** Matches a pattern in which `*` stands for any characters. Linear in the name's length times the number of stars. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/**
 * Filters tools: one of a tool's names must match `allow`, and none may match `deny`.
 *
 * @param allow names or patterns with `*`; undefined allows all
 */
export function toolFilter(allow: readonly string[] | undefined, deny: readonly string[]): ToolFilter {
  const listed = (patterns: readonly string[], names: readonly string[]): boolean =>
    patterns.some((pattern) => names.some((name) => matches(pattern, name)));
  return (...names) => (allow === undefined || listed(allow, names)) && !listed(deny, names);
}

/** A request for a tool call: the content of AgentVault's data part (proxy pattern 1.0.0, section 3). */
export interface ToolRequest {
  /** `target_mcp_server_id`; undefined if the tool's name has to tell. */
  readonly server: string | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
}

const expectedData =
  '{"target_mcp_server_id": SERVER, "tool_name": TOOL, "arguments": {…}}, the server may be omitted if the tool\'s name begins with its id';

const invalid = (field: string, description: string): A2AError =>
  A2AError.invalidParams(undefined, [{ field, description }]);

/**
 * Reads the request from the first data part of a message.
 *
 * @throws A2AError `invalidParams` that names the field and what was expected
 */
export function readRequest({ parts }: Pick<Message, 'parts'>, servers: readonly NamedServer[]): ToolRequest {
  const toolNames = (): string => {
    const names = servers.flatMap((entry) => (allowedTools(entry) ?? []).map(({ name }) => `${entry.id}.${name}`));
    return nameList(names) || 'none are known yet';
  };
  const index = parts.findIndex((part) => part.data !== undefined);
  if (index < 0) {
    const expected = `this agent calls tools: expected a data part ${expectedData}`;
    throw invalid('message.parts', `${expected}. Tools: ${toolNames()}`);
  }
  const { data } = parts[index] ?? {};
  const at = `message.parts[${index}].data`;
  if (!isObject(data)) throw invalid(at, `expected ${expectedData}`);
  const { target_mcp_server_id: server, tool_name: tool, arguments: given } = data;
  if (typeof tool !== 'string' || tool === '') {
    throw invalid(`${at}.tool_name`, `expected the name of a tool: ${toolNames()}`);
  }
  if (server !== undefined && server !== null && (typeof server !== 'string' || server === '')) {
    throw invalid(`${at}.target_mcp_server_id`, 'expected the id of a server, or nothing');
  }
  if (given !== undefined && given !== null && !isObject(given)) {
    throw invalid(`${at}.arguments`, "expected an object with the tool's arguments");
  }
  return { server: server ?? undefined, tool, arguments: isObject(given) ? given : {} };
}
