import type { Allowed } from './allowed.ts';
import { ToolFailure } from './failures.ts';
import type { ToolRequest } from './request.ts';
import type { CallFacts, Tool, ToolServer } from './tool-server.ts';

/** A server under its name in the configuration. */
export interface NamedServer {
  readonly id: string;
  readonly server: ToolServer;
  readonly allowed: Allowed;
}

/** Where a call goes. */
export interface Target {
  readonly to: NamedServer;
  /** The name that the server knows the tool by. */
  readonly name: string;
  /** Undefined where the server cannot be asked for its tools. */
  readonly tool: Tool | undefined;
}

/** As many names as fit into an error that is read. */
const named = 20;

const inWords = (names: readonly string[]): string =>
  names.length > named ? `${names.slice(0, named).join(', ')} and ${names.length - named} more` : names.join(', ');

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
export const offered = ({ server, allowed }: NamedServer): readonly Tool[] | undefined =>
  server.tools?.filter(({ name }) => allowed(name));

/**
 * The server that is meant: the one that is named, else the one whose id the tool's name begins with, else the only one
 * that offers such a tool, else the only one there is.
 */
function chooseServer({ server, tool }: ToolRequest, servers: ReadonlyMap<string, NamedServer>): NamedServer {
  const ids = inWords([...servers.keys()]);
  if (server !== undefined) {
    const chosen = servers.get(server);
    if (chosen) return chosen;
    throw new ToolFailure('unknownServer', `There is no server "${server}"; there is ${ids}`);
  }
  const all = [...servers.values()];
  const prefixed = all.filter(({ id }) => tool.startsWith(`${id}.`));
  const longest = prefixed.toSorted((a, b) => b.id.length - a.id.length)[0];
  if (longest) return longest;
  const owners = all.filter((entry) => findTool(offered(entry) ?? [], tool, entry.id) !== undefined);
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
  facts: CallFacts,
): Promise<Target> {
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
  const known = inWords((offered(to) ?? []).map(({ name }) => name));
  throw new ToolFailure('unknownTool', `"${id}" has no tool "${given}"; it has ${known || 'none'}`);
}
