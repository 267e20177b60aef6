import type { Message } from '../../../core/model/a2a.ts';
import type { AskGateway } from '../../../core/model/agent.ts';
import { A2AError } from '../../../core/model/errors.ts';
import {
  chooseServer,
  chosenSkill,
  findTool,
  isToolRequest,
  readToolRequest,
  skillIdOf,
  type ToolRequest,
  withoutPrefix,
  writtenSkill,
} from '../../../core/model/tool-choice.ts';
import type { ToolServerSettings } from '../../../net/tool-server-settings.ts';
import { ToolFailure } from './failures.ts';
import type { Tool, ToolCallContext, ToolServer } from './tool-server.ts';

/** A server with its configured id. */
export interface NamedServer
  extends Pick<ToolServerSettings, 'roots' | 'sampling' | 'timeout' | 'answerTimeout' | 'taskTimeout'> {
  readonly id: string;
  readonly server: ToolServer;
  readonly allowed: ToolFilter;
  /**
   * Finds out which gateway the server is, so that it can be sent the path of the tree. Undefined if it is not a
   * gateway.
   */
  readonly gateway?: AskGateway | undefined;
}

/** The server and the tool of a call. */
export interface ToolTarget {
  readonly to: NamedServer;
  /** Name of the tool at the server. */
  readonly name: string;
  /** Id of the tool's skill, for which calls are authorized. */
  readonly skill: string;
  /** Undefined if the server cannot list its tools. */
  readonly tool: Tool | undefined;
}

/** Maximum number of names in an error message. */
const maxNames = 20;

const nameList = (names: readonly string[]): string =>
  names.length > maxNames
    ? `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more`
    : names.join(', ');

/**
 * Returns the tools of a server that may be called; undefined if the server cannot list its tools. A tool is omitted if
 * its skill id would begin with the id of another server: `x.read` of the server `fs` is omitted if there is a server
 * `fs.x`.
 */
export function allowedTools(
  { id, server, allowed }: NamedServer,
  servers: readonly NamedServer[],
  tools: readonly Tool[] | undefined = server.tools,
): readonly Tool[] | undefined {
  const others = servers.filter((other) => other.id.startsWith(`${id}.`));
  const isAmbiguous = (name: string): boolean =>
    others.some((other) => skillIdOf(id, name).startsWith(skillIdOf(other.id, '')));
  return tools?.filter(({ name }) => allowed(name) && !isAmbiguous(name));
}

/** Finds the server of a request. */
function serverFor(request: ToolRequest, servers: readonly NamedServer[]): NamedServer {
  const offers = servers.map((entry) => ({ id: entry.id, tools: allowedTools(entry, servers), entry }));
  const chosen = chooseServer(request, offers);
  if (typeof chosen === 'object') return chosen.entry;
  const ids = nameList(servers.map(({ id }) => id));
  if (chosen === 'unknown')
    throw new ToolFailure('unknownServer', `There is no server "${request.server}"; the servers are ${ids}`);
  const why = `Several servers may have a tool "${request.tool}"; set target_mcp_server_id to one of ${ids}`;
  throw new ToolFailure('noServer', why);
}

/**
 * Finds the server and the tool of a request.
 *
 * @throws ToolFailure if there is none (`unknownServer`, `noServer`, `unknownTool`), if the tool is `denied`, or if the
 * server fails to list its tools
 */
export async function route(
  request: ToolRequest,
  servers: readonly NamedServer[],
  signal: AbortSignal,
  context: ToolCallContext,
): Promise<ToolTarget> {
  const to = serverFor(request, servers);
  const { id, server, allowed } = to;
  const given = request.tool;
  const tools = await server.list(signal, context, (list) => findTool(list, given, id) !== undefined);
  const listed = tools ?? server.tools ?? [];
  const tool = findTool(listed, given, id);
  const configured = tool && [tool.name, skillIdOf(id, tool.name)];
  const names = tools && tool ? [tool.name] : (configured ?? [given, withoutPrefix(given, id)]);
  // Does not reveal whether a denied tool exists.
  if (!allowed(...names))
    throw new ToolFailure('denied', `The tool "${given}" of "${id}" is not allowed by the configuration`);
  const callable = allowedTools(to, servers, listed) ?? [];
  if (tool && callable.includes(tool)) return { to, name: tool.name, skill: skillIdOf(id, tool.name), tool };
  if (tools === undefined && !tool)
    return { to, name: given, skill: writtenSkill({ server: id, tool: given }), tool: undefined };
  const known = nameList(callable.map(({ name }) => name));
  throw new ToolFailure('unknownTool', `"${id}" has no tool "${given}"; it has ${known || 'none'}`);
}

/**
 * Returns the id of the skill that a message would call, found in the way in which `route` finds it during execution;
 * undefined for a message that calls no tool. If no tool is found, returns the skill as written.
 */
export async function skillFor(
  message: Pick<Message, 'parts'>,
  servers: readonly NamedServer[],
  signal: AbortSignal,
  context: ToolCallContext,
): Promise<string | undefined> {
  const request = readToolRequest(message);
  if (!isToolRequest(request)) return undefined;
  try {
    return (await route(request, servers, signal, context)).skill;
  } catch {
    signal.throwIfAborted();
    return chosenSkill(
      request,
      servers.map((entry) => ({ id: entry.id, tools: allowedTools(entry, servers) })),
    );
  }
}

export type ToolFilter = (...names: readonly string[]) => boolean;

/**
 * Whether a name matches a pattern in which `*` stands for any characters. The time is linear in the name's length for
 * each `*`.
 */
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
 * Creates a filter for tools: one of a tool's names must match `allow`, and none may match `deny`.
 *
 * @param allow names or patterns with `*`; undefined allows all tools
 */
export function toolFilter(allow: readonly string[] | undefined, deny: readonly string[]): ToolFilter {
  const listed = (patterns: readonly string[], names: readonly string[]): boolean =>
    patterns.some((pattern) => names.some((name) => matches(pattern, name)));
  return (...names) => (allow === undefined || listed(allow, names)) && !listed(deny, names);
}

const expectedData =
  '{"target_mcp_server_id": SERVER, "tool_name": TOOL, "arguments": {…}}, the server may be omitted if the tool\'s name begins with its id';

const invalid = (field: string, description: string): A2AError =>
  A2AError.invalidParams(undefined, [{ field, description }]);

/**
 * Reads the request in the first data part of a message.
 *
 * @throws A2AError `invalidParams` that names the field and the expected value
 */
export function readRequest(message: Pick<Message, 'parts'>, servers: readonly NamedServer[]): ToolRequest {
  const read = readToolRequest(message);
  if (isToolRequest(read)) return read;
  const toolNames = (): string => {
    const names = servers.flatMap((entry) =>
      (allowedTools(entry, servers) ?? []).map(({ name }) => skillIdOf(entry.id, name)),
    );
    return nameList(names) || 'none are known yet';
  };
  const { index, member } = read;
  if (index === undefined) {
    const expected = `this agent calls tools: expected a data part ${expectedData}`;
    throw invalid('message.parts', `${expected}. Tools: ${toolNames()}`);
  }
  const at = `message.parts[${index}].data`;
  if (member === undefined) throw invalid(at, `expected ${expectedData}`);
  const expected = {
    tool_name: () => `expected the name of a tool: ${toolNames()}`,
    target_mcp_server_id: () => 'expected the id of a server, or nothing',
    arguments: () => "expected an object with the tool's arguments",
  }[member];
  throw invalid(`${at}.${member}`, expected());
}
