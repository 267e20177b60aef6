import type { Message } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { ToolFailure } from './failures.ts';
import type { Tool, ToolCallContext, ToolServer } from './tool-server.ts';

/** A server under its name in the configuration. */
export interface NamedServer {
  readonly id: string;
  readonly server: ToolServer;
  readonly allowed: ToolFilter;
}

/** Where a call goes. */
export interface ToolTarget {
  readonly to: NamedServer;
  /** The name that the server knows the tool by. */
  readonly name: string;
  /** Undefined where the server cannot be asked for its tools. */
  readonly tool: Tool | undefined;
}

/** Names that an error message lists at most. */
const maxNames = 20;

const nameList = (names: readonly string[]): string =>
  names.length > maxNames
    ? `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more`
    : names.join(', ');

/** The name without the server's id before it: `filesystem.readFile` is `readFile` of the server `filesystem`. */
const withoutPrefix = (name: string, id: string): string =>
  name.startsWith(`${id}.`) && name.length > id.length + 1 ? name.slice(id.length + 1) : name;

/** Names of one tool in the habits of several languages are one: `readFile`, `read_file`, `read-file`. */
const loosely = (name: string): string => name.toLowerCase().replaceAll(/[_.\s-]/g, '');

/** The tool that is meant: as given, else without the server's prefix, else in another habit of writing, if only one is. */
function findTool(tools: readonly Tool[], given: string, id: string): Tool | undefined {
  const bare = withoutPrefix(given, id);
  const exact = tools.find(({ name }) => name === given) ?? tools.find(({ name }) => name === bare);
  if (exact) return exact;
  const alike = tools.filter(({ name }) => loosely(name) === loosely(bare));
  return alike.length === 1 ? alike[0] : undefined;
}

/** Those tools of a server that may be called; undefined where they cannot be known. */
export const allowedTools = ({ server, allowed }: NamedServer): readonly Tool[] | undefined =>
  server.tools?.filter(({ name }) => allowed(name));

/**
 * The server that is meant: the one that is named, else the one whose id the tool's name begins with, else the only one
 * that offers such a tool, else the only one there is.
 */
function chooseServer({ server, tool }: ToolRequest, servers: ReadonlyMap<string, NamedServer>): NamedServer {
  const ids = nameList([...servers.keys()]);
  if (server !== undefined) {
    const chosen = servers.get(server);
    if (chosen) return chosen;
    throw new ToolFailure('unknownServer', `There is no server "${server}"; there is ${ids}`);
  }
  const all = [...servers.values()];
  const prefixed = all.filter(({ id }) => tool.startsWith(`${id}.`));
  const longest = prefixed.toSorted((a, b) => b.id.length - a.id.length)[0];
  if (longest) return longest;
  const owners = all.filter((entry) => findTool(allowedTools(entry) ?? [], tool, entry.id) !== undefined);
  const only = owners.length === 1 ? owners[0] : all.length === 1 ? all[0] : undefined;
  if (only) return only;
  throw new ToolFailure('noServer', `Which server is to call "${tool}"? Name one as target_mcp_server_id: ${ids}`);
}

/**
 * Finds out where a request goes. Rejects with a ToolFailure when it may go nowhere: `unknownServer`, `noServer`,
 * `unknownTool`, `denied`, or why the server cannot be asked for its tools.
 */
export async function route(
  request: ToolRequest,
  servers: ReadonlyMap<string, NamedServer>,
  signal: AbortSignal,
  facts: ToolCallContext,
): Promise<ToolTarget> {
  const to = chooseServer(request, servers);
  const { id, server, allowed } = to;
  const given = request.tool;
  const tools = await server.list(signal, facts, (list) => findTool(list, given, id) !== undefined);
  const tool = findTool(tools ?? server.tools ?? [], given, id);
  const names = tools && tool ? [tool.name] : [given, withoutPrefix(given, id)];
  // What may not be called is refused as such whether it exists or not.
  if (!allowed(...names)) throw new ToolFailure('denied', `The tool "${given}" of "${id}" may not be called here`);
  if (tools === undefined) return { to, name: given, tool };
  if (tool) return { to, name: tool.name, tool };
  const known = nameList((allowedTools(to) ?? []).map(({ name }) => name));
  throw new ToolFailure('unknownTool', `"${id}" has no tool "${given}"; it has ${known || 'none'}`);
}

/** Whether a tool may be called, by the names that it goes by. */
export type ToolFilter = (...names: readonly string[]) => boolean;

/** `*` stands for any characters; everything else for itself. Linear in the name's length times the stars'. */
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
 * What a server's lists say: one of the names must be allowed, where there is such a list, and none denied.
 *
 * @param allow names or patterns with `*`; undefined allows all
 */
export function toolFilter(allow: readonly string[] | undefined, deny: readonly string[]): ToolFilter {
  const listed = (patterns: readonly string[], names: readonly string[]): boolean =>
    patterns.some((pattern) => names.some((name) => matches(pattern, name)));
  return (...names) => (allow === undefined || listed(allow, names)) && !listed(deny, names);
}

/** What a message asks for: the content of AgentVault's data part (proxy pattern 1.0.0, section 3). */
export interface ToolRequest {
  /** `target_mcp_server_id`; undefined: the tool's name says which server. */
  readonly server: string | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
}

const shape =
  '{"target_mcp_server_id": SERVER, "tool_name": TOOL, "arguments": {…}}, where the server may be left out if the tool\'s name begins with it';

const bad = (field: string, description: string): A2AError =>
  A2AError.invalidParams(undefined, [{ field, description }]);

/**
 * What a message asks for: its first data part counts.
 *
 * @param known names of the tools, told to those who ask for nothing that can be understood
 * @throws A2AError `invalidParams` that names the field, and says what is expected
 */
export function readRequest({ parts }: Pick<Message, 'parts'>, known: () => readonly string[]): ToolRequest {
  const index = parts.findIndex((part) => part.data !== undefined);
  if (index < 0) {
    throw bad(
      'message.parts',
      `this agent calls tools: expected a data part ${shape}. Tools: ${nameList(known()) || 'none are known yet'}`,
    );
  }
  const { data } = parts[index] ?? {};
  const at = `message.parts[${index}].data`;
  if (!isObject(data)) throw bad(at, `expected ${shape}`);
  const { target_mcp_server_id: server, tool_name: tool, arguments: given } = data;
  if (typeof tool !== 'string' || tool === '') {
    throw bad(`${at}.tool_name`, `expected the name of a tool: ${nameList(known()) || 'none are known yet'}`);
  }
  if (server !== undefined && server !== null && (typeof server !== 'string' || server === '')) {
    throw bad(`${at}.target_mcp_server_id`, 'expected the id of a server, or nothing');
  }
  if (given !== undefined && given !== null && !isObject(given)) {
    throw bad(`${at}.arguments`, "expected an object with the tool's arguments");
  }
  return { server: server ?? undefined, tool, arguments: isObject(given) ? given : {} };
}
