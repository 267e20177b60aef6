import { curl, type Headers, quoted, secret } from '../../wire/commands.ts';

interface SnippetFacts {
  /** URL of the gateway, without a slash at the end. */
  readonly gateway: string;
  readonly agent: string;
  /** The header for API keys; undefined if callers need none. */
  readonly apiKeyHeader: string | undefined;
  /** Whether callers can use bearer tokens. */
  readonly bearer: boolean;
}

/** A way to call an agent, as text to copy. */
interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** Returns the ways to call an agent without a program of one's own. */
export function snippetsFor({ gateway, agent, apiKeyHeader, bearer }: SnippetFacts): readonly Snippet[] {
  const url = `${gateway}/${agent}`;
  const header = apiKeyHeader ?? (bearer ? 'Authorization' : undefined);
  const credential: Headers = header === undefined ? [] : [[header, secret]];
  const headers: Headers = [['Content-Type', 'application/json'], ['A2A-Version', '1.0'], ...credential];
  const body = JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'Ada' }] } });
  const server = { url: `${url}/mcp`, ...(apiKeyHeader !== undefined && { headers: { [apiKeyHeader]: 'KEY' } }) };
  return [
    { title: 'a2a-gateway', code: `npx a2a-gateway send ${quoted(url)} 'Ada' --stream` },
    { title: 'curl', code: curl({ verb: 'POST', url: `${url}/message:send`, headers, body }) },
    { title: 'MCP', code: JSON.stringify({ mcpServers: { [agent]: server } }, undefined, 2) },
  ];
}
