import type { Message } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';

/** What a message asks for: the content of AgentVault's data part (proxy pattern 1.0.0, section 3). */
export interface ToolRequest {
  /** `target_mcp_server_id`; undefined: the tool's name says which server. */
  readonly server: string | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
}

const shape =
  '{"target_mcp_server_id": SERVER, "tool_name": TOOL, "arguments": {…}}, where the server may be left out if the tool\'s name begins with it';

/** As many tools as are named to somebody who does not know them. */
const named = 20;

function listed(tools: readonly string[]): string {
  if (tools.length === 0) return 'none are known at the moment';
  const more = tools.length > named ? `, and ${tools.length - named} more: see the card` : '';
  return `${tools.slice(0, named).join(', ')}${more}`;
}

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
    throw bad('message.parts', `this agent calls tools: expected a data part ${shape}. Tools: ${listed(known())}`);
  }
  const { data } = parts[index] ?? {};
  const at = `message.parts[${index}].data`;
  if (!isObject(data)) throw bad(at, `expected ${shape}`);
  const { target_mcp_server_id: server, tool_name: tool, arguments: given } = data;
  if (typeof tool !== 'string' || tool === '') {
    throw bad(`${at}.tool_name`, `expected the name of a tool: ${listed(known())}`);
  }
  if (server !== undefined && server !== null && (typeof server !== 'string' || server === '')) {
    throw bad(`${at}.target_mcp_server_id`, 'expected the id of a server, or nothing');
  }
  if (given !== undefined && given !== null && !isObject(given)) {
    throw bad(`${at}.arguments`, "expected an object with the tool's arguments");
  }
  return { server: server ?? undefined, tool, arguments: isObject(given) ? given : {} };
}
